-- bears: previous
-- Other dollars that users send to addresses of ours: known by name, so that their owner learns that they are not
-- taken. Bridged coins of before an issuer came to a chain (USDC.e, USDbC), and Tether's own bridge on a chain where
-- another contract of it is taken (USD₮0).
insert into chains.token (chain, contract, symbol, decimals, is_accepted) values
  ('base', '0xd9aaec86b65d86f6a7b5b1b0c42ffa531710b6ca', 'USDBC', 6, false),
  ('arbitrum', '0xff970a61a04b1ca14834a43f5de4533ebddb5cc8', 'USDCE', 6, false),
  ('optimism', '0x7f5c764cbc14f9669b88837ca1490cca17c31607', 'USDCE', 6, false),
  ('optimism', '0x01bff41798a0bcf287b996046ca68b395dbc1071', 'USDT0', 6, false)
on conflict (chain, contract) do nothing;
-- A payment waits for one reason more.
comment on column outbound.transaction.hold_reason is 'why a queued transaction waits: hot_wallet_low or capital_low for its token, gas_low or gas_capital_low for the native coin, wallet_frozen while its token refuses every payment of the wallet, or the rule of the signer that refused it; fee_cap: a signed one is not replaced, because the fees would be too high';
