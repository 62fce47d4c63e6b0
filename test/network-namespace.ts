/** A network of its own on this machine, whose firewall drops everything that comes in and was not asked for. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { librariesOf, unpackDebian } from './servers/debian-packages.ts';
import { downloaded } from './servers/downloads.ts';

const run = promisify(execFile);
const PACKAGES = [
  'nftables',
  'libnftables1',
  'libnftnl11',
  'libmnl0',
  'libjansson4',
  'libxtables12',
  'libedit2',
  'libbsd0',
  'libmd0',
];
const RULES = [
  'add table inet guard',
  'add chain inet guard incoming { type filter hook input priority 0 ; policy drop ; }',
  'add rule inet guard incoming ct state established,related accept',
];

/** Such a network, which one link joins to this one. */
export interface Namespace {
  /** This machine, as programs in it reach it. */
  readonly outside: string;
  /** They themselves, as this machine would reach them. */
  readonly inside: string;
  /** A program and its first arguments that run another program in it. */
  readonly under: readonly string[];
  remove(): Promise<void>;
}

/**
 * Makes one. Linux alone has them, and only its administrator may.
 * @throws Error of the program that could not do its part
 */
export async function makeNamespace(): Promise<Namespace> {
  const name = `causeway-${process.pid}`;
  const [own, other] = [`cw${process.pid % 100_000}a`, `cw${process.pid % 100_000}b`];
  const third = process.pid % 250;
  const [outside, inside] = [`10.231.${third}.1`, `10.231.${third}.2`];
  const ip = (...args: string[]) => run('ip', args);
  const within = ['ip', 'netns', 'exec', name];
  const remove = async (): Promise<void> => {
    await ip('netns', 'del', name).catch(() => {});
    await ip('link', 'del', own).catch(() => {});
  };
  try {
    await ip('netns', 'add', name);
    await ip('link', 'add', own, 'type', 'veth', 'peer', 'name', other, 'netns', name);
    await ip('addr', 'add', `${outside}/30`, 'dev', own);
    await ip('link', 'set', own, 'up');
    await ip('netns', 'exec', name, 'ip', 'addr', 'add', `${inside}/30`, 'dev', other);
    await ip('netns', 'exec', name, 'ip', 'link', 'set', other, 'up');
    const folder = await downloaded('nftables', (empty) => unpackDebian(empty, PACKAGES));
    const env = { ...process.env, LD_LIBRARY_PATH: (await librariesOf(folder)).join(':') };
    const nft = join(folder, 'usr/sbin/nft');
    for (const rule of RULES) await run('ip', ['netns', 'exec', name, nft, rule], { env });
  } catch (thrown) {
    await remove();
    throw thrown;
  }
  return { outside, inside, under: within, remove };
}
