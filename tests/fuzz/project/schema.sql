CREATE TABLE numbers (n INTEGER PRIMARY KEY, word TEXT NOT NULL);
INSERT INTO numbers VALUES (1, 'one'), (2, 'two'), (3, 'three'), (4, 'four'), (5, 'five');
