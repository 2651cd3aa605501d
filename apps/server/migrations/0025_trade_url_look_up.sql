-- bears: previous
-- Trade URLs that the game platform is to be asked about. It shows their pages to its own accounts alone, and the
-- secrets of ours are held by workers: what answers requests writes down what it wants to know, and a worker asks.
-- A row is a memory and no history: it is written over by the next look-up, and removed a day after it.
create table identity.trade_url_look_up (
  url text not null,
  partner bigint not null,
  token text not null,
  tenant_id uuid not null,
  request_id text not null,
  asked_at timestamptz not null,
  claim_id uuid,
  claimed_until timestamptz,
  answer jsonb,
  answered_at timestamptz,
  constraint trade_url_look_up_pkey primary key (url),
  constraint trade_url_look_up_partner_is_32_bit check (partner between 1 and 4294967295),
  constraint trade_url_look_up_token_form check (token ~ '^[A-Za-z0-9_-]{8}$'),
  constraint trade_url_look_up_claim_has_its_end check ((claim_id is null) = (claimed_until is null)),
  constraint trade_url_look_up_answer_has_its_time check ((answer is null) = (answered_at is null))
);
comment on column identity.trade_url_look_up.url is 'in its one spelling';
comment on column identity.trade_url_look_up.tenant_id is 'whose turn it takes: the merchant or partner that asked first; of an operator the nil id';
comment on column identity.trade_url_look_up.claim_id is 'of the worker that asks now; another may claim it from claimed_until on';
comment on column identity.trade_url_look_up.answer is 'null: not answered since asked_at';

create index trade_url_look_up_waiting on identity.trade_url_look_up (asked_at) where answer is null;
create index trade_url_look_up_old on identity.trade_url_look_up (asked_at);

-- Asks, unless a good answer stands since good_since_ or the question waits already. One that has waited since
-- before stale_ takes its place anew: nothing older is claimed.
create function identity.ask_trade_url(
  url_ text, partner_ bigint, token_ text, tenant_id_ uuid, request_id_ text,
  at_ timestamptz, good_since_ timestamptz, stale_ timestamptz
) returns void language plpgsql as $$
begin
  insert into identity.trade_url_look_up as l (url, partner, token, tenant_id, request_id, asked_at)
  values (url_, partner_, token_, tenant_id_, request_id_, at_)
  on conflict on constraint trade_url_look_up_pkey do update
    set tenant_id = excluded.tenant_id, request_id = excluded.request_id, asked_at = excluded.asked_at,
      claim_id = null, claimed_until = null, answer = null, answered_at = null
    where (l.answer is null and l.asked_at < stale_)
      or (l.answer is not null and not (l.answer ->> 'kind' = 'resolved' and l.answered_at > good_since_));
  if found then perform pg_notify('trade_url_asked', ''); end if;
end $$;

-- Takes waiting questions, oldest first, in turn by tenant: one of each, then the second of each. What a tenant has
-- under way counts as its first.
create function identity.claim_trade_urls(
  claim_id_ uuid, at_ timestamptz, until_ timestamptz, since_ timestamptz, limit_ integer
) returns table (url text, partner bigint, token text, tenant_id uuid, request_id text)
language sql as $$
  with unanswered as (
    select l.url, l.tenant_id, l.asked_at, coalesce(l.claimed_until > at_, false) is_claimed
    from identity.trade_url_look_up l
    where l.answer is null and l.asked_at > since_
  ), turns as (
    select o.url, o.asked_at,
      row_number() over (partition by o.tenant_id order by o.asked_at, o.url)
        + (select count(*) from unanswered c where c.is_claimed and c.tenant_id = o.tenant_id) turn
    from unanswered o where not o.is_claimed
  ), chosen as (
    select l.url
    from turns t join identity.trade_url_look_up l on l.url = t.url
    where l.answer is null and (l.claimed_until is null or l.claimed_until <= at_)
    order by t.turn, t.asked_at, l.url
    limit limit_
    for no key update of l skip locked
  )
  update identity.trade_url_look_up l set claim_id = claim_id_, claimed_until = until_
  from chosen c where l.url = c.url
  returning l.url, l.partner, l.token, l.tenant_id, l.request_id
$$;

-- Writes an answer down. A good one stands, from any worker. Any other is believed of the worker that holds the claim
-- alone: one that was slow answers a question that another has taken over.
create function identity.answer_trade_url(
  url_ text, claim_id_ uuid, answer_ jsonb, at_ timestamptz
) returns void language sql as $$
  update identity.trade_url_look_up l
  set answer = answer_, answered_at = at_, claim_id = null, claimed_until = null
  where l.url = url_ and (answer_ ->> 'kind' = 'resolved' or (l.claim_id = claim_id_ and l.answer is null))
$$;

-- Where a name was not known when a trade URL was stored, its platform id stands for it. The first look-up that knows
-- it completes every row.
create function identity.complete_trade_urls(
  partner_ bigint, token_ text, persona_name_ text, avatar_url_ text
) returns void language sql as $$
  update identity.trade_url t set persona_name = persona_name_, avatar_url = avatar_url_
  where t.partner = partner_ and t.token = token_ and t.persona_name = t.platform_id
    and persona_name_ <> t.platform_id
$$;
create index trade_url_without_name on identity.trade_url (partner) where persona_name = platform_id;
