/** The process of `killed-worker.ts`. */

import { can } from '../../../proto/driver.ts';
import { beginning, share } from '../contract-shares.ts';
import { drivers } from '../index.ts';
import { callOf, openClient } from './host.ts';
import type { KilledWork } from './killed-worker.ts';

const work = JSON.parse(process.argv[2] ?? '') as KilledWork; // As `killed-worker.ts` wrote it.
const { connection, name, request, state } = work;
const client = await openClient(drivers[work.kind], { connection, mode: 'write' });
if (!can(client, 'prepare')) throw new Error('it cannot prepare');
const participant = await client.join(beginning(name), callOf('write'));
await participant.perform(share([request]), callOf('write'));
if (state === 'prepared') await participant.prepare(callOf('write'));
process.stdout.write(`${state}\n`);
setInterval(() => {}, 1_000_000);
