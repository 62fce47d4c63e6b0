/** Loaded into the parts of a relay by tests: on SIGUSR2 the part does what the file says that `PART_FAULT` names. */
import { readFileSync } from 'node:fs';

const MEGABYTE = 1024 * 1024;
const held: Buffer[] = [];

const FAULTS: Readonly<Record<string, () => void>> = {
  spin() {
    for (;;);
  },
  /** While its loop turns. */
  hold() {
    setInterval(() => held.push(Buffer.alloc(16 * MEGABYTE, 1)), 5);
  },
  throw() {
    throw new Error('thrown outside any call');
  },
};

if (/\/part\.[jt]s$/.test(process.argv[1] ?? '')) {
  process.on('SIGUSR2', () => FAULTS[readFileSync(process.env.PART_FAULT ?? '', 'utf8')]?.());
}
