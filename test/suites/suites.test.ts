/** How suites are taken apart and judged. */
import { expect, test } from 'vitest';
import { suites } from './index.ts';
import { outcomeOf } from './junit.ts';
import { statementsOf as mariadbStatements } from './sql/mysqltest.ts';
import { statementsOf as postgresStatements } from './sql/psql.ts';
import { differencesOf, judge } from './verdict.ts';

test('a difference is expected only where it is listed, and a case must differ that is not listed with sometimes', () => {
  const differing = new Map([
    ['a', 'how a differs'],
    ['b', 'how b differs'],
  ]);
  const listed = [
    { reason: 'for a', cases: ['a'] },
    { reason: 'for c', cases: ['c'] },
    { reason: 'for d', sometimes: true as const, cases: ['d'] },
  ];
  expect(judge({ passed: 3, differing, skipped: 0 }, listed)).toEqual({
    passed: 3,
    listed: new Map([
      ['for a', 1],
      ['for c', 0],
      ['for d', 0],
    ]),
    unexpected: [['b', 'how b differs']],
    stale: ['c'],
  });
});

test.each(Object.keys(suites))('the list of %s names each case once', async (name) => {
  const cases = (await differencesOf(name)).flatMap((each) => each.cases);
  expect(new Set(cases).size).toBe(cases.length);
});

test('a report of a test runner is read with its failures and what is left out', () => {
  const report = `<testsuites><testsuite>
    <testcase name="one" classname="f.ts" file="f.ts" time="1" />
    <testcase name="one" classname="f.ts" file="f.ts"><failure message="a &lt; &#39;b&#x21;" type="E"/></testcase>
    <testcase name="two" classname="g"><error>
      broke </error></testcase>
    <testcase name="three" classname="g"><skipped /></testcase>
  </testsuite></testsuites>`;
  expect(outcomeOf(report)).toEqual({
    passed: 1,
    differing: new Map([
      ['f.ts > one (2)', "a < 'b!"],
      ['g > two', 'broke'],
    ]),
    skipped: 1,
  });
});

test("PostgreSQL's scripts are taken apart as psql does", () => {
  const script = String.raw`-- a; comment
\getenv abs_srcdir PG_ABS_SRCDIR
\set file :abs_srcdir '/data/x.data'
COPY a FROM :'file';
SELECT ';', $$;$$, "a;b", 'x'::text \gset
COPY b FROM STDIN;
1	2;
\.
CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT 2; END;
SELECT CASE WHEN true THEN 1 END;
CREATE RULE r AS ON INSERT TO a DO (SELECT 1; SELECT 2);
SELECT 2`;
  expect(postgresStatements(script, '/srv')).toEqual([
    "-- a; comment\n\n\nCOPY a FROM '/srv/data/x.data'",
    String.raw`SELECT ';', $$;$$, "a;b", 'x'::text`,
    'CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT 2; END',
    'SELECT CASE WHEN true THEN 1 END',
    'CREATE RULE r AS ON INSERT TO a DO (SELECT 1; SELECT 2)',
    'SELECT 2',
  ]);
});

test("MariaDB's scripts lose what is for their own runner", () => {
  const script = `# a comment;
--disable_warnings
drop table if exists t;
let $a = 1;
if ($a)
{
  select 1;
}
select ';', "a;" /* ; */ from t -- ;
;
delimiter //;
create procedure p() begin select 1; end//
delimiter ;//
--error 1064
select '$a';
call p();
`;
  expect(mariadbStatements(script)).toEqual([
    'drop table if exists t',
    `select ';', "a;" /* ; */ from t -- ;`,
    'create procedure p() begin select 1; end',
    'call p()',
  ]);
});
