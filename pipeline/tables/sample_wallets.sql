create or replace temp table sample as
select address from all_events group by address order by md5(address) limit $wallets;
create or replace table priced_events as from all_events where address in (from sample);
delete from opening_holdings where address not in (from sample);
