-- Which coin a withdrawal in cents waits for: its own token, or the native coin for its gas.
comment on column outbound.transaction.hold_reason is 'why a queued transaction waits: hot_wallet_low or capital_low for its token, gas_low or gas_capital_low for the native coin, or the rule of the signer that refused it; fee_cap: a signed one is not replaced, because the fees would be too high';
