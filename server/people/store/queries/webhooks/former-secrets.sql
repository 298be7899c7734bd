select secret, signs_until as until
from webhook_former_secrets
where webhook_id::text = $id and signs_until > $now
order by signs_until desc
