/** All that a caller reaches and that reads, by area. */
import type { Subject } from '../subject.ts';
import { CONNECTIONS } from './connections.ts';
import { DRIVERS } from './drivers.ts';
import { PROTO } from './proto.ts';
import { SQL } from './sql.ts';
import { TEMPLATES } from './templates.ts';

/** Of the worker's own types, which this program does not know: so it is loaded by its name. */
const OF_WORKER = new URL('../../../../worker/test/doubling/subjects.ts', import.meta.url).href;
const { WORKER } = (await import(/* @vite-ignore */ OF_WORKER)) as {
  readonly WORKER: readonly Subject[]; // By its own declaration.
};

export const SUBJECTS: readonly Subject[] = [
  ...PROTO,
  ...SQL,
  ...DRIVERS,
  ...CONNECTIONS,
  ...WORKER,
  ...TEMPLATES,
];
