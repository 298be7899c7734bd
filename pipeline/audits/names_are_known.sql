-- Categories and reward triggers are those of the reviewed data, and a trigger stands on rewards and commission only.
select id, category, reward_trigger
from chain_events
where not list_contains($categories, category)
  or (reward_trigger is not null and not list_contains($triggers, reward_trigger))
  or (reward_trigger is not null) <> list_contains($rewards, category)
order by id
