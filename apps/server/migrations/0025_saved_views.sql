-- Saved views: a person's name for the filters of a list, within one account.
create table people.saved_view (
  id uuid not null,
  person_id uuid not null,
  account_id uuid not null,
  list text not null,
  name text not null,
  query text not null,
  created_at timestamptz not null,
  constraint saved_view_pkey primary key (id),
  constraint saved_view_membership foreign key (person_id, account_id) references people.membership (person_id, account_id),
  constraint saved_view_name_once unique (person_id, account_id, list, name),
  constraint saved_view_name_length check (length(name) between 1 and 60),
  constraint saved_view_query_length check (length(query) between 1 and 1000)
);
comment on table people.saved_view is 'renamed and deleted by its person; deleted when the membership ends';
comment on column people.saved_view.query is 'search parameters of the page that shows the list, as its address has them';
