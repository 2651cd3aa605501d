-- A final transaction that left its chain can lose its nonce to another one. It is not sent again then: its wallet is
-- halted, and an operator reopens it with the proof. Its row stays, because its state cannot change any more.
alter table outbound.final_watch add column foreign_since_block bigint, add column displaced_at timestamptz;
comment on column outbound.final_watch.foreign_since_block is 'head when its nonce was first seen used for good by a transaction that did not do the same';
comment on column outbound.final_watch.displaced_at is 'since when it is proven that another transaction has its nonce for good: it will never be mined again';
