-- A record of schema version 3 in PostgreSQL, as pg_dump wrote it.
CREATE TABLE public.whocrawls_meta (
    version integer NOT NULL
);
CREATE TABLE public.whocrawls_strings (
    digest bytea NOT NULL,
    useragent text NOT NULL COLLATE pg_catalog."C",
    truncated boolean NOT NULL,
    crawler boolean NOT NULL,
    name text,
    operator text,
    category text,
    count bigint NOT NULL,
    first_seen bigint NOT NULL,
    last_seen bigint NOT NULL,
    folded text COLLATE pg_catalog."C"
);
CREATE TABLE public.whocrawls_traffic (
    hour bigint NOT NULL,
    dimension text NOT NULL,
    value text NOT NULL COLLATE pg_catalog."C",
    count bigint NOT NULL
);
CREATE TABLE public.whocrawls_writers (
    writer uuid NOT NULL,
    batch bigint NOT NULL,
    at timestamp with time zone NOT NULL
);
INSERT INTO public.whocrawls_meta VALUES (3);
INSERT INTO public.whocrawls_strings VALUES ('\x06615ca40aa15412c6818d2530965aa4', 'LongBot/1.0 éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé', true, true, 'LongBot', NULL, 'other', 1, 1795152600000, 1795152600000, 'longbot/1.0 éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé');
INSERT INTO public.whocrawls_strings VALUES ('\x690ad2b3122ea7d0b46766445b20871d', 'NUL􏠀 and lone 􏀾 surrogate bot/1.0', false, true, 'NUL', NULL, 'other', 1, 1795152600000, 1795152600000, 'nul􏠀 and lone 􏀾 surrogate bot/1.0');
INSERT INTO public.whocrawls_strings VALUES ('\x73e2525cd3fd7ff85f60ae6813525a0e', '􏤤􏨀private ''quoted'' "bot"/2', false, true, 'private ''quoted', NULL, 'other', 1, 1795152600000, 1795152600000, '􏤤􏨀private ''quoted'' "bot"/2');
INSERT INTO public.whocrawls_strings VALUES ('\xcf72c469ef0697c82ebdc8b2dcf0e620', 'GPTBot/1.2', false, true, 'GPTBot', 'OpenAI', 'ai', 1, 1795152600000, 1795152600000, NULL);
INSERT INTO public.whocrawls_strings VALUES ('\xd47a8c1ff637e2ddc98c00ec97e41717', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', false, false, NULL, NULL, NULL, 7, 1795152600000, 1795152600000, NULL);
INSERT INTO public.whocrawls_strings VALUES ('\xe3b0c44298fc1c149afbf4c8996fb924', '', false, true, NULL, NULL, 'other', 2, 1795152600000, 1795152600000, NULL);
INSERT INTO public.whocrawls_strings VALUES ('\xea1dc23a0ff941c2ab582ca9e60c8b02', 'Zeichenübersetzungsbot/1.0 Ünïcödé', false, true, 'Zeichenübersetzungsbot', NULL, 'other', 1, 1795152600000, 1795152600000, 'zeichenübersetzungsbot/1.0 ünïcödé');
INSERT INTO public.whocrawls_strings VALUES ('\x043937ea8abaea325dbde1020b1bdd9f', 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', false, true, 'Googlebot', 'Google', 'search-engine', 5, 1795152600000, 1795156200000, NULL);
INSERT INTO public.whocrawls_strings VALUES ('\x36d78805ccc6b0934bf9ae22b7c7713c', 'FooBot/1.0', false, true, 'FooBot', NULL, 'other', 5, 1795156200000, 1795156200000, NULL);
INSERT INTO public.whocrawls_strings VALUES ('\x9f13fd461a2c6cc7aaeb6ab024da95fe', 'CurlyBrace/1.0', false, true, 'CurlyBrace', NULL, 'other', 1, 1795156200000, 1795156200000, NULL);
INSERT INTO public.whocrawls_traffic VALUES (1795150800000, 'category', 'ai', 1);
INSERT INTO public.whocrawls_traffic VALUES (1795150800000, 'category', 'other', 6);
INSERT INTO public.whocrawls_traffic VALUES (1795150800000, 'category', 'search-engine', 3);
INSERT INTO public.whocrawls_traffic VALUES (1795150800000, 'crawler', 'false', 7);
INSERT INTO public.whocrawls_traffic VALUES (1795150800000, 'crawler', 'true', 10);
INSERT INTO public.whocrawls_traffic VALUES (1795150800000, 'name', 'GPTBot', 1);
INSERT INTO public.whocrawls_traffic VALUES (1795150800000, 'name', 'Googlebot', 3);
INSERT INTO public.whocrawls_traffic VALUES (1795150800000, 'name', 'LongBot', 1);
INSERT INTO public.whocrawls_traffic VALUES (1795150800000, 'name', 'NUL', 1);
INSERT INTO public.whocrawls_traffic VALUES (1795150800000, 'name', 'Zeichenübersetzungsbot', 1);
INSERT INTO public.whocrawls_traffic VALUES (1795150800000, 'name', 'private ''quoted', 1);
INSERT INTO public.whocrawls_traffic VALUES (1795150800000, 'operator', 'Google', 3);
INSERT INTO public.whocrawls_traffic VALUES (1795150800000, 'operator', 'OpenAI', 1);
INSERT INTO public.whocrawls_traffic VALUES (1795150800000, 'purpose', 'search', 3);
INSERT INTO public.whocrawls_traffic VALUES (1795150800000, 'purpose', 'training', 1);
INSERT INTO public.whocrawls_traffic VALUES (1795150800000, 'verified', 'Googlebot', 3);
INSERT INTO public.whocrawls_traffic VALUES (1795154400000, 'category', 'other', 6);
INSERT INTO public.whocrawls_traffic VALUES (1795154400000, 'category', 'search-engine', 2);
INSERT INTO public.whocrawls_traffic VALUES (1795154400000, 'crawler', 'true', 8);
INSERT INTO public.whocrawls_traffic VALUES (1795154400000, 'name', 'CurlyBrace', 1);
INSERT INTO public.whocrawls_traffic VALUES (1795154400000, 'name', 'FooBot', 5);
INSERT INTO public.whocrawls_traffic VALUES (1795154400000, 'name', 'Googlebot', 2);
INSERT INTO public.whocrawls_traffic VALUES (1795154400000, 'operator', 'Google', 2);
INSERT INTO public.whocrawls_traffic VALUES (1795154400000, 'purpose', 'search', 2);
INSERT INTO public.whocrawls_traffic VALUES (1795154400000, 'spoofed', 'Googlebot', 2);
INSERT INTO public.whocrawls_writers VALUES ('e5082c16-47a7-4860-a5b1-ba2f43b40e76', 2, '2026-11-26 15:41:21.199295+00');
ALTER TABLE ONLY public.whocrawls_strings
    ADD CONSTRAINT whocrawls_strings_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY public.whocrawls_traffic
    ADD CONSTRAINT whocrawls_traffic_pkey PRIMARY KEY (hour, dimension, value);
ALTER TABLE ONLY public.whocrawls_writers
    ADD CONSTRAINT whocrawls_writers_pkey PRIMARY KEY (writer);
CREATE INDEX whocrawls_strings_last_seen ON public.whocrawls_strings USING btree (last_seen, digest);
