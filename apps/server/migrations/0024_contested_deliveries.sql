-- bears: previous
-- A delivery that its market took back, and of which it names the user as the party that was charged, without a
-- document that says what that means. It stays in its hold, whatever its market says later and however long the
-- hold has been over, until a person decides. Both are written once.
alter table buying.item
  add column contested_at timestamptz,
  add column decided_at timestamptz,
  -- Of rows from before no one can break it, so the table is not read under the lock.
  add constraint item_decided_before_its_end check (
    contested_at is null or decided_at is not null or work <> 'none') not valid,
  add constraint item_decided_once_contested check (decided_at is null or contested_at is not null) not valid;
comment on column buying.item.contested_at is 'when its market was first seen to take the delivery back and to name the user';
comment on column buying.item.decided_at is 'when a person said how a contested delivery ends';
