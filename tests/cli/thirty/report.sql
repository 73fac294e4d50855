-- The books of each owner.
SELECT owner, count(*) AS books
FROM boks                                         -- 29: no such table
GROUP BY owner
