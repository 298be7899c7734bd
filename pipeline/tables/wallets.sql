-- Counts wallets. Omits consensus addresses of proposers, which receive only tips from fee collectors.
select count(*)::integer as wallets from addresses where address not in (from tipped)
