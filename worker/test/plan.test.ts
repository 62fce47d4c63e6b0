/** Which plans hold up who shares the database. */
import { expect, test } from 'vitest';
import { faultsOf, type Known } from './plan.ts';

const index = { isUnique: false, isPartial: false, columns: 2 };
const KNOWN: Known = {
  tables: new Set(['entries', 'organizations']),
  indexes: new Map([
    ['entries_org', index],
    ['entries_unchained', { ...index, isPartial: true }],
    ['organizations_pk', { isUnique: true, isPartial: false, columns: 1 }],
  ]),
};
const ORGANIZATION = 'SEARCH entries USING INDEX entries_org (org_uuid=?)';
const ONE = 'SEARCH organizations USING INDEX organizations_pk (uuid=?)';
const LIST = 'SCAN each VIRTUAL TABLE INDEX 1:';

/** Lines of one statement, each with how deep it stands. */
function plan(...lines: [depth: number, detail: string][]) {
  return lines.map(([depth, detail], at) => {
    const above = lines.slice(0, at).findLastIndex(([other]) => other < depth);
    return { id: at + 1, parent: above + 1, detail };
  });
}

test.each([
  ['a list for each row', LIST, plan([1, ORGANIZATION], [1, LIST])],
  ['whole table', 'SCAN entries', plan([1, 'SCAN entries'])],
  [
    'whole table',
    'SCAN entries USING INDEX entries_org',
    plan([1, 'SCAN entries USING INDEX entries_org']),
  ],
  ['an organization for each row', ORGANIZATION, plan([1, LIST], [1, ORGANIZATION])],
  [
    'an organization for each row',
    ORGANIZATION,
    plan([1, 'RECURSIVE STEP'], [2, ORGANIZATION], [2, 'SCAN r']),
  ],
  [
    'an organization for each row',
    ORGANIZATION,
    plan([1, ONE], [1, 'CORRELATED SCALAR SUBQUERY 1'], [2, ORGANIZATION]),
  ],
])('%s is one that does: %s', (rule, detail, lines) => {
  expect(faultsOf(lines, KNOWN)).toEqual([{ rule, detail }]);
});

test.each([
  ['an organization, once', plan([1, ORGANIZATION])],
  ['a list, once', plan([1, LIST], [1, 'SEARCH entries USING INTEGER PRIMARY KEY (rowid=?)'])],
  ['a list beside one row', plan([1, ONE], [1, LIST])],
  ['what an index has alone', plan([1, 'SCAN entries USING INDEX entries_unchained'])],
  ['what was found before', plan([1, 'RECURSIVE STEP'], [2, 'SCAN r'])],
])('none does that reads %s', (_what, lines) => {
  expect(faultsOf(lines, KNOWN)).toEqual([]);
});
