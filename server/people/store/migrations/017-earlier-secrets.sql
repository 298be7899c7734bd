-- Former secrets of a webhook before `previous_secret`, newest first: [{"secret": text, "until": time}].
alter table webhooks add column earlier_secrets jsonb not null default '[]';

-- All former secrets, each with the time until which it signs deliveries.
create view webhook_former_secrets as
select id as webhook_id, former ->> 'secret' as secret, (former ->> 'until')::timestamptz as signs_until
from webhooks, jsonb_array_elements(
  jsonb_build_object('secret', previous_secret, 'until', previous_secret_until) || earlier_secrets
) as former
where previous_secret is not null;
