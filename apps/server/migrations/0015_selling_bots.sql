-- How the bots are is known once: the adapter of the platform keeps it for all processes.
drop table selling.bot;
