-- Search finds a deposit by the address that its order is paid to, and by the hash of a payment: the reference of a
-- payment at the gateway is its order, a slash, its hash, and a number where one hash pays an order more than once.

create index credit_of_payment on deposits.credit (lower(split_part(split_part(settlement_ref, '/', 2), '#', 1)))
  where provider = 'gateway';
create index held_payment_of_payment on deposits.held_payment (lower(split_part(split_part(settlement_ref, '/', 2), '#', 1)))
  where provider = 'gateway';
create index provider_order_paid_to on deposits.provider_order (lower(details ->> 'address')) where details ? 'address';
