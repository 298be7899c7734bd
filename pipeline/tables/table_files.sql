-- Returns the addresses of a table's files. A word such as 2026-03*2 names the files 2026-03_01 and 2026-03_02.
create or replace macro files(folder, names) as list_transform(
  flatten(list_transform(string_split(names, ' '), lambda word: case
    when contains(word, '*') then list_transform(
      range(1, split_part(word, '*', 2)::bigint + 1),
      lambda number: split_part(word, '*', 1) || '_' || lpad(number::varchar, 2, '0')
    )
    else [word]
  end)),
  lambda name: files_address() || folder || '/' || name || '.parquet'
);
