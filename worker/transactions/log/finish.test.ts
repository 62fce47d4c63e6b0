/** What the word of a backend says about a participant of a transaction that is over. Spec: transactions.md §3. */
import { expect, test } from 'vitest';
import { endOf } from './finish.ts';

const NOW = Date.now();
const held = JSON.stringify({ node: 'n', session: 's', onlyRead: false, recovery: '' });
const coming = (ms: number) => JSON.stringify({ until: NOW + ms });

test.each<[string, Parameters<typeof endOf>, ReturnType<typeof endOf>]>([
  ...(['committed', 'rolled_back'] as const).map(
    (status): [string, Parameters<typeof endOf>, ReturnType<typeof endOf>] => [
      `${status} is its end`,
      [{ status: 'rolling_back', decided: NOW }, { part: 'prepares', held }, status],
      status,
    ],
  ),
  [
    'one that is open is asked again',
    [{ status: 'rolling_back', decided: NOW - 60_000 }, { part: 'prepares', held }, 'open'],
    undefined,
  ],
  [
    'one that is not known to who was told to commit has committed',
    [{ status: 'committing', decided: NOW }, { part: 'prepares', held: null }, 'unknown'],
    'committed',
  ],
  [
    'one that is not known may still come for a moment',
    [{ status: 'rolling_back', decided: NOW }, { part: 'prepares', held: null }, 'unknown'],
    undefined,
  ],
  [
    'and not later',
    [{ status: 'rolling_back', decided: NOW - 3_000 }, { part: 'prepares', held: null }, 'unknown'],
    'rolled_back',
  ],
  ...(['prepares', 'decides'] as const).flatMap(
    (part): [string, Parameters<typeof endOf>, ReturnType<typeof endOf>][] => [
      [
        `one that ${part} may come as long as its first request is under way`,
        [
          { status: 'rolling_back', decided: NOW - 30_000 },
          { part, held: coming(5_000) },
          'unknown',
        ],
        undefined,
      ],
      [
        `one that ${part} does not come once that is over`,
        [{ status: 'rolling_back', decided: NOW }, { part, held: coming(-1) }, 'unknown'],
        'rolled_back',
      ],
    ],
  ),
  [
    'one that decides, and is not known, was never told to commit',
    [{ status: 'rolling_back', decided: NOW }, { part: 'decides', held }, 'unknown'],
    'rolled_back',
  ],
])('%s', (_, given, expected) => {
  expect(endOf(...given)).toBe(expected);
});
