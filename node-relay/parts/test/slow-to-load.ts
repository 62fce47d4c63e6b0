/** A part that loads code for longer than a part may be silent, goes on, and is then caught in a loop. */
import { threadCpuUsage } from 'node:process';
import type { FromPart } from '../messages.ts';

/** Milliseconds of processor time that it takes to load. */
const LOAD_MS = 1_500;

const figures = { pools: 0, connections: 0, sessions: 0, callsInFlight: 0 };

function usedMs(): number {
  const { user, system } = threadCpuUsage();
  return (user + system) / 1000;
}

function spin(until: number): void {
  while (usedMs() < until);
}

function tell(message: FromPart): void {
  process.send?.(message);
}

const beat = () => tell({ type: 'beat', figures, cpuMs: usedMs(), residentBytes: 0 });

tell({ type: 'loaded', node: 'slow' });
beat();
tell({ type: 'loading', isLoading: true });
spin(usedMs() + LOAD_MS);
tell({ type: 'loading', isLoading: false });
tell({ type: 'listening' });
setTimeout(() => {
  beat();
  spin(Number.POSITIVE_INFINITY);
}, 500);
