CREATE TABLE books (id INTEGER PRIMARY KEY, owner TEXT, title TEXT, state TEXT);
