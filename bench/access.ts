/**
 * What it costs to know who is calling and what they may do: a steady read through the worker, with
 * limits, audit and usage, compared with the same worker without any of that; then again once the
 * organization has 10,000 users and 100,000 rules. Same run, interleaved, medians of five rounds.
 *
 * npm run bench -- access [--rounds 5] [--seconds 2] [--connections 32]
 */
import { parseArgs } from 'node:util';
import { generateLoad, type Measured } from './load.ts';
import { type Pair, startPair } from './pair.ts';
import { median, tell } from './report.ts';

const BODY = JSON.stringify({ query: 'select id, name from products where id = $1', params: [42] });
const USERS = 10_000;
const RULES_PER_USER = 10;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '32' },
  },
});

const pair = await startPair();
try {
  console.log(
    '                    unguarded/s  guarded/s  ratio  unguarded p50 ms  guarded p50 ms',
  );
  const small = await compare(pair);
  console.log(line('1 user, 1 rule', small));
  await grow(pair);
  const large = await compare(pair);
  console.log(line('10,000 / 100,000', large));
  tell('1 user, 1 rule: guarded to unguarded, requests a second', small.map(ratioOf));
  tell('10,000 users, 100,000 rules: guarded to unguarded', large.map(ratioOf));
  const change = middle(large, ratioOf) / middle(small, ratioOf);
  console.log(`Users and rules change the ratio by a factor of ${change.toFixed(3)}.`);
} finally {
  await pair.stop();
}

interface Round {
  readonly bare: Measured;
  readonly ours: Measured;
}

async function compare({ guardedPort, unguardedPort, token }: Pair): Promise<Round[]> {
  const common = {
    path: '/api/v1/endpoints/measured/read',
    headers: { Authorization: `Bearer ${token}` },
    body: BODY,
    connections: Number(values.connections),
    seconds: Number(values.seconds),
  };
  const bare = () => generateLoad({ ...common, port: unguardedPort });
  const ours = () => generateLoad({ ...common, port: guardedPort });
  await bare();
  await ours();
  const rounds: Round[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    // Each goes first in turn: what the one leaves behind is the other's to bear.
    const first = round % 2 === 0 ? await bare() : await ours();
    const second = round % 2 === 0 ? await ours() : await bare();
    rounds.push(round % 2 === 0 ? { bare: first, ours: second } : { bare: second, ours: first });
  }
  return rounds;
}

/** Members of the organization, each with rules on as many resources; one of them the endpoint measured. */
async function grow({ database }: Pair): Promise<void> {
  const numbers = `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${USERS})`;
  const org = "(select uuid from organizations where id = 'bench')";
  const measured = `(select uuid from endpoints where org_uuid = ${org} and id = 'measured')`;
  const statements = [
    `insert into accounts (uuid, username, username_key, password_changed_at, created_by_org, created_at)
     ${numbers} select 'user-' || n, 'user-' || n, 'user-' || n, 0, 'elsewhere', 0 from numbers`,
    `insert into memberships (org_uuid, account_uuid, created_at, created_by, last_modified_at, last_modified_by)
     ${numbers} select ${org}, 'user-' || n, 0, 'bench', 0, 'bench' from numbers`,
    ...Array.from({ length: RULES_PER_USER }, (_, at) => {
      const resource = at === 0 ? measured : `'endpoint-${at}-' || (n % 1000)`;
      return `insert into rules (org_uuid, resource_kind, resource_uuid, subject, level, created_at, created_by)
        ${numbers} select ${org}, 'endpoint', ${resource}, 'user-' || n, 'Read', 0, 'bench' from numbers`;
    }),
  ];
  for (const statement of statements) await database.prepare(statement).run();
  const counted = await database
    .prepare(
      'select (select count(*) from memberships) as users, (select count(*) from rules) as rules',
    )
    .first();
  console.log(`Now there are ${JSON.stringify(counted)}.`);
}

function ratioOf({ bare, ours }: Round): number {
  return ours.throughput / bare.throughput;
}

function middle(rounds: readonly Round[], of: (round: Round) => number): number {
  return median(rounds.map(of));
}

function line(name: string, rounds: readonly Round[]): string {
  return [
    name.padEnd(18),
    middle(rounds, ({ bare }) => bare.throughput)
      .toFixed(0)
      .padStart(12),
    middle(rounds, ({ ours }) => ours.throughput)
      .toFixed(0)
      .padStart(9),
    middle(rounds, ratioOf).toFixed(2).padStart(5),
    middle(rounds, ({ bare }) => bare.p50)
      .toFixed(2)
      .padStart(16),
    middle(rounds, ({ ours }) => ours.p50)
      .toFixed(2)
      .padStart(14),
  ].join('  ');
}
