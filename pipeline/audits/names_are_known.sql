-- Reference data contains every category and reward trigger of a row. A reward trigger occurs only with the categories
-- that allow it.
select id, category, reward_trigger
from priced_events
where not list_contains($categories, category)
  or (reward_trigger is not null and not list_contains($triggers, reward_trigger || ' ' || category))
  or (reward_trigger is not null) <> list_contains($rewards, category)
order by id
