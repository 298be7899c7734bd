-- An entry without content says nothing, and counted among those that an account may have.
delete from saved_decisions where decisions::text = '{}';
delete from saved_opening_lots where opening_lots::text = '[]';
