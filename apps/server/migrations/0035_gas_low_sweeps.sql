-- Sweeps that were given up because their gas had become too little: an address gets more a few times a day only.
create index sweep_gas_low on chains.sweep (address_id, chain, ended_at) where state = 'failed' and detail = 'gas_low';
