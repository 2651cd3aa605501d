-- Who sent an invitation: it is good as long as its sender is a member who may invite.
alter table people.invitation add column inviter_id uuid,
  add constraint invitation_inviter foreign key (inviter_id) references people.person (id);
comment on column people.invitation.inviter_id is 'the member who sent it; null: the operator of the service';
