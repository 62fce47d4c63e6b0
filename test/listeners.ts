/** What a process and all that it started listen on, as the kernel reports. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { childrenOf } from './processes.ts';

const LISTENING = '0A';

/** TCP ports of the process and of its children, theirs, and so on; Linux alone reports. */
export function listeningPorts(pid: number): number[] {
  const pids = [pid, ...childrenOf(pid).map((child) => child.pid)];
  const own = new Set(pids.flatMap(socketsOf));
  const ports = ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((row) => row[3] === LISTENING && own.has(row[9] ?? ''))
      .map((row) => Number.parseInt(row[1]?.split(':')[1] ?? '', 16)),
  );
  return [...new Set(ports)];
}

/** Inodes of the sockets that a process has open. */
function socketsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? [];
      return inode === undefined ? [] : [inode];
    });
  } catch {
    return []; // It has ended meanwhile, or closed what was looked at.
  }
}
