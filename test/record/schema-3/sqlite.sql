-- A record of schema version 3 in a SQLite file, as the program sqlite3 wrote it, with the file's header.
PRAGMA journal_mode = WAL;
PRAGMA application_id = 2003332931;
PRAGMA user_version = 3;
BEGIN TRANSACTION;
CREATE TABLE strings (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    useragent TEXT NOT NULL,
    truncated INTEGER NOT NULL,
    crawler INTEGER NOT NULL,
    name TEXT,
    operator TEXT,
    category TEXT,
    count INTEGER NOT NULL,
    first_seen INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    folded TEXT
  ) STRICT;
INSERT INTO strings VALUES(1,X'043937ea8abaea325dbde1020b1bdd9f','Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',0,1,'Googlebot','Google','search-engine',5,1795152600000,1795156200000,NULL);
INSERT INTO strings VALUES(2,X'06615ca40aa15412c6818d2530965aa4','LongBot/1.0 éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé',1,1,'LongBot',NULL,'other',1,1795152600000,1795152600000,'longbot/1.0 éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé');
INSERT INTO strings VALUES(3,X'690ad2b3122ea7d0b46766445b20871d','NUL􏠀 and lone 􏀾 surrogate bot/1.0',0,1,'NUL',NULL,'other',1,1795152600000,1795152600000,'nul􏠀 and lone 􏀾 surrogate bot/1.0');
INSERT INTO strings VALUES(4,X'73e2525cd3fd7ff85f60ae6813525a0e','􏤤􏨀private ''quoted'' "bot"/2',0,1,'private ''quoted',NULL,'other',1,1795152600000,1795152600000,'􏤤􏨀private ''quoted'' "bot"/2');
INSERT INTO strings VALUES(5,X'cf72c469ef0697c82ebdc8b2dcf0e620','GPTBot/1.2',0,1,'GPTBot','OpenAI','ai',1,1795152600000,1795152600000,NULL);
INSERT INTO strings VALUES(6,X'd47a8c1ff637e2ddc98c00ec97e41717','Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',0,0,NULL,NULL,NULL,7,1795152600000,1795152600000,NULL);
INSERT INTO strings VALUES(7,X'e3b0c44298fc1c149afbf4c8996fb924','',0,1,NULL,NULL,'other',2,1795152600000,1795152600000,NULL);
INSERT INTO strings VALUES(8,X'ea1dc23a0ff941c2ab582ca9e60c8b02','Zeichenübersetzungsbot/1.0 Ünïcödé',0,1,'Zeichenübersetzungsbot',NULL,'other',1,1795152600000,1795152600000,'zeichenübersetzungsbot/1.0 ünïcödé');
INSERT INTO strings VALUES(9,X'36d78805ccc6b0934bf9ae22b7c7713c','FooBot/1.0',0,1,'FooBot',NULL,'other',5,1795156200000,1795156200000,NULL);
INSERT INTO strings VALUES(10,X'9f13fd461a2c6cc7aaeb6ab024da95fe','CurlyBrace/1.0',0,1,'CurlyBrace',NULL,'other',1,1795156200000,1795156200000,NULL);
CREATE TABLE traffic (
    hour INTEGER NOT NULL,
    dimension TEXT NOT NULL,
    value TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (hour, dimension, value)
  ) STRICT, WITHOUT ROWID;
INSERT INTO traffic VALUES(1795150800000,'category','ai',1);
INSERT INTO traffic VALUES(1795150800000,'category','other',6);
INSERT INTO traffic VALUES(1795150800000,'category','search-engine',3);
INSERT INTO traffic VALUES(1795150800000,'crawler','false',7);
INSERT INTO traffic VALUES(1795150800000,'crawler','true',10);
INSERT INTO traffic VALUES(1795150800000,'name','GPTBot',1);
INSERT INTO traffic VALUES(1795150800000,'name','Googlebot',3);
INSERT INTO traffic VALUES(1795150800000,'name','LongBot',1);
INSERT INTO traffic VALUES(1795150800000,'name','NUL',1);
INSERT INTO traffic VALUES(1795150800000,'name','Zeichenübersetzungsbot',1);
INSERT INTO traffic VALUES(1795150800000,'name','private ''quoted',1);
INSERT INTO traffic VALUES(1795150800000,'operator','Google',3);
INSERT INTO traffic VALUES(1795150800000,'operator','OpenAI',1);
INSERT INTO traffic VALUES(1795150800000,'purpose','search',3);
INSERT INTO traffic VALUES(1795150800000,'purpose','training',1);
INSERT INTO traffic VALUES(1795150800000,'verified','Googlebot',3);
INSERT INTO traffic VALUES(1795154400000,'category','other',6);
INSERT INTO traffic VALUES(1795154400000,'category','search-engine',2);
INSERT INTO traffic VALUES(1795154400000,'crawler','true',8);
INSERT INTO traffic VALUES(1795154400000,'name','CurlyBrace',1);
INSERT INTO traffic VALUES(1795154400000,'name','FooBot',5);
INSERT INTO traffic VALUES(1795154400000,'name','Googlebot',2);
INSERT INTO traffic VALUES(1795154400000,'operator','Google',2);
INSERT INTO traffic VALUES(1795154400000,'purpose','search',2);
INSERT INTO traffic VALUES(1795154400000,'spoofed','Googlebot',2);
CREATE INDEX strings_last_seen ON strings (last_seen, id);
COMMIT;
