/** What runs on this machine, for tests about starting and stopping. */
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process that has not ended. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** All processes; those that have ended and wait to be counted are left out. */
export function processes(): ProcessRow[] {
  const table = execFileSync('ps', ['-eo', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' });
  return table.split('\n').flatMap((line) => {
    const [, pid, parent, state, command] = /^ *(\d+) +(\d+) +(\S+) +(.*)$/.exec(line) ?? [];
    if (command === undefined || state?.startsWith('Z')) return [];
    return [{ pid: Number(pid), parent: Number(parent), command }];
  });
}

/** Children of a process, their children, and so on. */
export function childrenOf(pid: number, table = processes()): ProcessRow[] {
  const own = table.filter(({ parent }) => parent === pid);
  return own.flatMap((child) => [child, ...childrenOf(child.pid, table)]);
}

/** Those of the processes that still run. */
export function stillRunning(earlier: readonly ProcessRow[]): ProcessRow[] {
  const now = new Map(processes().map((row) => [row.pid, row.command]));
  return earlier.filter(({ pid, command }) => now.get(pid) === command);
}

/**
 * Kills the relay of a running gateway, which starts it again, and waits until it is gone with its
 * parts: for a moment they outlive it, and still answer. @param pid of the gateway
 */
export async function killRelay(pid: number): Promise<void> {
  const relay = childrenOf(pid).find(({ command }) => command.includes('node-relay/main.ts'));
  if (relay === undefined) throw new Error('The gateway has no relay');
  const killed = [relay, ...childrenOf(relay.pid)];
  process.kill(relay.pid, 'SIGKILL');
  while (stillRunning(killed).length > 0) await sleep(10);
}

/** Edge runtimes of a gateway, without what they are wrapped in. @param pid of the gateway */
export function runtimesOf(pid: number): ProcessRow[] {
  return childrenOf(pid).filter(({ command }) => /^\S+\/workerd serve/.test(command));
}

/** Whether a request failed because nobody took it, or who took it died: a read may be sent again. */
export function isRefused(thrown: unknown): boolean {
  const code = (thrown as NodeJS.ErrnoException).code;
  return code === 'ECONNREFUSED' || code === 'ECONNRESET';
}
