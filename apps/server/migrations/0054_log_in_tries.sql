-- A try is counted under a lock on its key, before the password is looked at (people/throttle.ts).
drop function people.count_failure;
