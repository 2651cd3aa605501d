-- Canceling, and what became of each item when. Items keep only where they stand; their steps are told here.

alter table trading.supplier_order add column cancel_requested_at timestamptz;
comment on column trading.supplier_order.cancel_requested_at is 'when the supplier was first asked to cancel; committed before the call';

-- One row a step, in the statement that takes it. The beginning is not here: it is the trade's, and a buy
-- has no statement to spare.
create table trading.item_step (
  trade_id uuid not null,
  id bigint not null generated always as identity,
  item_id uuid not null,
  what text not null,
  status trading.status not null,
  at timestamptz not null,
  offer_id text,
  failure_code text,
  price bigint not null,
  constraint item_step_pkey primary key (trade_id, id),
  constraint item_step_what_known check (what in ('moved', 'cancel_requested', 'replaced'))
);
comment on column trading.item_step.status is 'where the item stood after it';
comment on column trading.item_step.price is 'cents of the wallet''s currency: the item''s price after it';

-- One step of one item: state, money and events in one commit. Answers false, and changes nothing, when
-- the item no longer stands in `from_`: somebody else has moved it.
create or replace function trading.move_item(
  item_id_ uuid, from_ trading.status, to_ trading.status, at_ timestamptz, next_due_at_ timestamptz,
  offer_id_ text, hold_ends_at_ timestamptz, failure_code_ text, failure_detail_ text, reverted_by_ text,
  penalty_ bigint) returns boolean
language plpgsql as $$
declare
  trade_ trading.trade;
  item_ trading.item;
  earned_ bigint;
  status_ trading.status;
  escrow_ bigint;
begin
  -- Every step of a trade is taken under its row lock: events of one trade are in order of their ids.
  select t.* into trade_ from trading.trade t
    where t.id = (select i.trade_id from trading.item i where i.id = item_id_) for no key update;
  if trade_.id is null then return false; end if;
  if not exists (select from trading.transition where from_status = from_ and to_status = to_) then
    raise exception 'there is no step from % to %', from_, to_ using errcode = 'PT500';
  end if;
  if (to_ >= 'completed') then next_due_at_ := at_; end if;

  update trading.item i set
      status = to_, status_at = at_, due_at = next_due_at_,
      work = case when to_ >= 'completed' then 'none' else 'follow' end,
      offer_id = coalesce(offer_id_, i.offer_id),
      hold_ends_at = coalesce(hold_ends_at_, i.hold_ends_at),
      failure_code = failure_code_, failure_detail = failure_detail_, reverted_by = reverted_by_,
      penalty = case when to_ in ('failed', 'canceled', 'declined', 'reverted') then penalty_ end,
      refunded = case when to_ in ('failed', 'canceled', 'declined', 'reverted') then i.price - penalty_ end,
      settled_at = case when to_ = 'completed' then at_ end
    where i.id = item_id_ and i.status = from_
    returning i.* into item_;
  if item_.id is null then return false; end if;
  insert into trading.item_step (trade_id, item_id, what, status, at, offer_id, failure_code, price)
    values (trade_.id, item_.id, 'moved', to_, at_, item_.offer_id, failure_code_, item_.price);

  if to_ >= 'completed' then
    escrow_ := ledger.account_of(trade_.account_id, 'escrow');
    if to_ = 'completed' then
      earned_ := trading.capture(trade_, item_, escrow_, at_);
      update trading.item set merchant_earned = earned_ where id = item_.id;
      perform catalog.record_sale(item_.catalog_item_id, trading.to_usd(item_.sourcing, trade_.currency, trade_.usd_per_eur_micros), at_);
    else
      perform trading.refund(trade_, item_, escrow_, at_);
      -- Gone at the supplier means gone; otherwise somebody else may buy it.
      if item_.failure_code is distinct from 'LISTING_UNAVAILABLE' and to_ in ('failed', 'canceled') then
        perform catalog.release_listing(item_.listing_id);
      end if;
    end if;
  end if;

  select min(i.status) into status_ from trading.item i where i.trade_id = trade_.id;
  update trading.trade set status = status_, updated_at = at_ where id = trade_.id;
  if status_ <> trade_.status then perform trading.tell(trade_, status_, at_); end if;
  if to_ in ('failed', 'canceled', 'declined', 'reverted') then
    perform outbox.add('trade.refunded', trade_.merchant_id, trade_.account_id, trade_.id,
      jsonb_build_object('itemId', item_.id, 'externalId', item_.external_id,
        'buyerFault', to_ = 'declined' or coalesce(reverted_by_ = 'user', false),
        'refundedUsdCents', trading.to_usd(item_.refunded, trade_.currency, trade_.usd_per_eur_micros),
        'penaltyUsdCents', trading.to_usd(item_.penalty, trade_.currency, trade_.usd_per_eur_micros)),
      'trade.refunded:' || item_.id, at_);
  end if;
  return true;
end $$;

-- Cancels an item for which no worker has committed an intent: nothing of it can be at a supplier. A claim
-- and this lock one another out on the item's row. False when a worker was quicker, or it stands elsewhere.
create function trading.cancel_unplaced(item_id_ uuid, at_ timestamptz) returns boolean
language plpgsql as $$
begin
  -- The trade's row first, as every step does.
  perform from trading.trade t where t.id = (select i.trade_id from trading.item i where i.id = item_id_) for no key update;
  perform from trading.item i where i.id = item_id_ and i.status = 'initiated' and i.work = 'place' for update;
  if not found then return false; end if;
  return trading.move_item(item_id_, 'initiated', 'canceled', at_, at_, null, null, null, null, null, 0);
end $$;

-- Notes, before the suppliers are called, that these placed orders are to be canceled. Once is enough.
create function trading.request_cancel(item_ids_ uuid[], at_ timestamptz) returns void
language sql as $$
  with noted as (
    update trading.supplier_order o set cancel_requested_at = at_
      where o.item_id = any (item_ids_) and o.cancel_requested_at is null returning o.item_id)
  insert into trading.item_step (trade_id, item_id, what, status, at, offer_id, price)
    select i.trade_id, i.id, 'cancel_requested', i.status, at_, i.offer_id, i.price
    from noted join trading.item i on i.id = noted.item_id
$$;
