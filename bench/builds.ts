/**
 * The worker as it is, but with quotas that are never reached, and the worker without authentication,
 * authorization, limits, activity and usage: the same code, built with those modules replaced, so
 * that nothing else differs.
 */
import { readFile } from 'node:fs/promises';
import { sep } from 'node:path';
import type { Plugin } from 'esbuild';
import { bundle } from '../server/bundle.ts';

/** What a module exports instead; the rest of it stays. */
const INSTEAD: Readonly<Record<string, string>> = {
  // One caller, looked up once and for all.
  'access/authenticate': `
    let caller;
    export async function authenticate({ env }) {
      if (caller) return caller;
      const row = await env.DB.prepare(
        "select o.uuid as orgUuid, o.id as orgId, a.uuid as userUuid, a.username as userId from organizations o, accounts a where a.created_by_org = o.uuid and o.id = 'bench'"
      ).first();
      caller = { ...row, issuedAt: Infinity, loginAt: Infinity, expiresAt: Infinity };
      return caller;
    }`,
  // Each endpoint loaded once and for all, and no level asked for.
  'access/access': `
    const found = new Map();
    export async function authorize(ctx, access, params) {
      const known = found.get(params.endpoint);
      if (known) return known;
      const made = { demands: [], ...(await access.find(ctx, params)), held: 'SuperAdmin' };
      found.set(params.endpoint, made);
      return made;
    }`,
  'limits/caller': 'export function countCaller() {}',
  'users/activity/note': 'export function noteOperation() {} export function noteUse() {}',
  'calls/usage/count': 'export function countCall() {}',
};
const ORIGINAL = '?original';

const unguard: Plugin = {
  name: 'unguard',
  setup(build) {
    const replaced = new Set<string>();
    const filter = new RegExp(`[\\\\/]worker[\\\\/](${Object.keys(INSTEAD).join('|')})\\.ts$`);
    build.onLoad({ filter }, ({ path, suffix }) => {
      const name = filter.exec(path)?.[1] ?? '';
      if (suffix === ORIGINAL) return undefined;
      replaced.add(name);
      const rest = `export * from ${JSON.stringify(`${path.split(sep).join('/')}${ORIGINAL}`)};`;
      return { contents: `${INSTEAD[name]}\n${rest}`, loader: 'js' };
    });
    build.onEnd(() => {
      const missed = Object.keys(INSTEAD).filter((name) => !replaced.has(name));
      if (missed.length > 0) throw new Error(`Nothing imports ${missed.join(', ')} any more`);
    });
  },
};

/** Counts every request, and refuses none. */
const liftQuotas: Plugin = {
  name: 'lift quotas',
  setup(build) {
    let isLifted = false;
    build.onLoad({ filter: /[\\/]limits[\\/]caller\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const contents = text.replaceAll(/quota: [\d_]+/g, 'quota: 1e9');
      if (contents === text) throw new Error('Quotas are written differently now');
      isLifted = true;
      return { contents, loader: 'ts' };
    });
    build.onEnd(() => {
      if (!isLifted) throw new Error('Quotas stand elsewhere now');
    });
  },
};

/**
 * The code of the worker with quotas that are never reached.
 * @throws Error when quotas are no longer where they were
 */
export function buildGuarded(): Promise<string> {
  return bundle([liftQuotas]);
}

/**
 * The code of the worker without guards. It serves the organization `bench` alone.
 * @throws Error when a module that it replaces is gone
 */
export function buildUnguarded(): Promise<string> {
  return bundle([unguard]);
}
