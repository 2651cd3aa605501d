-- Processes keep the house fee of an account with its keys, and show the market's prices by it: a new fee makes them
-- forget the keys, as a new status does.
create or replace trigger account_changed after update of status, tier, currency, fee_bps on identity.account
  for each row when (new.kind <> 'sub_user' and (new.status, new.tier, new.currency, new.fee_bps)
    is distinct from (old.status, old.tier, old.currency, old.fee_bps))
  execute function identity.notify_account_changed();
