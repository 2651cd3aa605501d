-- A try is counted by one statement that waits its turn, before the password is looked at (people/store/throttles.ts).
drop function people.count_failure;
