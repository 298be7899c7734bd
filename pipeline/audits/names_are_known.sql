-- Categories and reward triggers are those of the reviewed data, and each trigger stands on the categories that it is said to pay.
select id, category, reward_trigger
from priced_events
where not list_contains($categories, category)
  or (reward_trigger is not null and not list_contains($triggers, reward_trigger || ' ' || category))
  or (reward_trigger is not null) <> list_contains($rewards, category)
order by id
