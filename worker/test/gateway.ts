/**
 * A gateway under test: the real app on a real D1, an organization of its own, a clock that the
 * test moves, and a relay in memory that is a stock Connect handler behind the service binding.
 */
import { createExecutionContext, env } from 'cloudflare:test';
import { createConnectRouter, type ServiceImpl } from '@connectrpc/connect';
import { createFetchHandler } from '@connectrpc/connect/protocol';
import { drizzle } from 'drizzle-orm/d1';
import { expect } from 'vitest';
import { ERRORS, type ErrorCode, type ErrorDetails } from '../../proto/errors.ts';
import { RelayService } from '../../proto/gen/relay/v1/relay_pb.ts';
import type { Json } from '../../proto/json.ts';
import { issueToken } from '../access/tokens.ts';
import { createApp } from '../app.ts';
import type { Bindings } from '../context.ts';
import { accounts, endpoints, memberships, organizations, rules } from '../db/schema.ts';
import type { Level } from '../levels.ts';
import { newDataKey, seal } from '../secrets/seal.ts';
import { settingsOf } from '../settings.ts';
import { demandDescribed } from './described.ts';
import { inTime, type Pending, pendingOf, settled } from './pending.ts';
import { noteSent } from './sent.ts';

/** 2026-01-01T00:00:00Z, in milliseconds. */
export const NOW = 1_767_225_600_000;

/** A reply as tests compare it. */
export interface Reply {
  readonly status: number;
  readonly body: Json;
}

/** What a gateway under test is made with. */
export interface Setup {
  /** Methods of the relay; those left out answer Unimplemented. */
  readonly relay?: Partial<ServiceImpl<typeof RelayService>>;
  /** Bindings that differ, such as settings. */
  readonly bindings?: Readonly<Record<string, unknown>>;
  /** The setting `AUTH_EXTERNAL` for the organization under test. */
  readonly issuers?: (organization: { readonly uuid: string; readonly id: string }) => Json;
  /** What the worker fetches from the outside. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** A user of the organization under test. */
export interface TestUser {
  readonly uuid: string;
  readonly username: string;
}

/**
 * The whole body of an error reply, with any request id. A refusal says why: some explanation
 * is expected of it unless the test names one.
 */
export function failure(
  code: ErrorCode,
  message: unknown,
  details: readonly ErrorDetails[] | undefined = USUAL[code],
): Record<string, unknown> {
  return {
    error: ERRORS[code].error,
    message,
    code,
    request_id: expect.any(String),
    ...(details ? { details } : {}),
  };
}

/** What goes with codes whose details are alike. */
const USUAL: { readonly [Code in ErrorCode]?: readonly ErrorDetails[] } = {
  FORBIDDEN: [
    expect.objectContaining({
      allowed: false,
      rule: expect.any(String),
      considered: expect.any(Array),
    }),
  ],
  TOKEN_REQUIRED: [{ path: 'Authorization', message: 'is required: see /docs' }],
};

/** A fresh organization with one user at `level` (no rule at all when `undefined`). */
export async function startGateway(level: Level | undefined, setup: Setup = {}) {
  const clock = { now: NOW };
  const common = {
    ...env,
    DB: ownView(env.DB),
    RELAY: relayInMemory(setup.relay ?? {}),
    ...setup.bindings,
  };
  const organization = await insertOrganization(common);
  const issuers = setup.issuers ? JSON.stringify(setup.issuers(organization)) : '';
  const bindings: Bindings = { ...common, ...(issuers === '' ? {} : { AUTH_EXTERNAL: issuers }) };
  const settings = settingsOf(bindings);
  const app = createApp({
    now: () => clock.now,
    fetch: setup.fetch ?? (() => Promise.reject(new Error('Nothing outside is reachable'))),
  });
  const user = await insertUser(organization.uuid, level);
  const pending: Pending[] = [];

  async function token(of: TestUser = user): Promise<string> {
    const subject = {
      userId: of.username,
      userUuid: of.uuid,
      orgId: organization.id,
      orgUuid: organization.uuid,
      loginAt: clock.now,
    };
    return (await issueToken(settings, subject, clock.now)).token;
  }

  /** The raw response; `path` is below /api/v1. */
  async function send(path: string, init: RequestInit = {}): Promise<Response> {
    const execution = createExecutionContext();
    const waitUntil = (work: Promise<unknown>) => pending.push(pendingOf(work));
    const answer = app.request(`http://gateway.test/api/v1${path}`, init, bindings, {
      ...execution,
      waitUntil,
      passThroughOnException() {},
    });
    return inTime(`${init.method ?? 'GET'} ${path}`, Promise.resolve(answer));
  }

  return {
    organization,
    user,
    clock,
    bindings,
    settings,
    token,
    send,
    addUser: (at: Level | undefined) => insertUser(organization.uuid, at),
    /** Waits for what goes on after replies. */
    async settle(): Promise<void> {
      while (pending.length > 0) await settled(pending.splice(0));
    },
    /** Calls as the gateway's user, or with another bearer token; an empty one sends none. */
    async call(method: string, path: string, body?: Json, bearer?: string): Promise<Reply> {
      const sent = bearer ?? (await token());
      const response = await send(path, {
        method,
        headers: {
          ...(sent === '' ? {} : { Authorization: `Bearer ${sent}` }),
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const reply: Reply = { status: response.status, body: await response.json() };
      demandDescribed(method, path, reply);
      return reply;
    },
  };
}

/** The same database as an object of its own: what an isolate keeps per database, no other test shares. */
function ownView(database: D1Database): D1Database {
  return new Proxy(database, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (name === 'prepare') return (text: string) => sendTo(target, text);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

function sendTo(database: D1Database, text: string): D1PreparedStatement {
  noteSent(text);
  return database.prepare(text);
}

/** What `startGateway` makes. */
export type TestGateway = Awaited<ReturnType<typeof startGateway>>;

/** A relay in memory: real Connect codec on the wire, no socket. */
export function relayInMemory(implementation: Partial<ServiceImpl<typeof RelayService>>): Fetcher {
  const router = createConnectRouter().service(RelayService, implementation);
  const handlers = new Map(
    router.handlers.map((each) => [each.requestPath, createFetchHandler(each)]),
  );
  const fetch = (input: RequestInfo, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const handler = handlers.get(new URL(request.url).pathname);
    return handler ? handler(request) : Promise.resolve(new Response(null, { status: 404 }));
  };
  return { fetch } as Fetcher; // A Fetcher's other members are not for tests to have.
}

/** An organization of its own id, without users. */
export async function insertOrganization(bindings: Bindings) {
  const uuid = crypto.randomUUID();
  const id = `org-${uuid.slice(0, 8)}`;
  const sealedDataKey = await newDataKey(settingsOf(bindings), uuid);
  await drizzle(env.DB).insert(organizations).values({
    uuid,
    id,
    name: id,
    settings: {},
    sealedDataKey,
    createdAt: NOW,
    updatedAt: NOW,
    lastModifiedBy: 'test',
  });
  return { uuid, id, sealedDataKey };
}

/** An account without a password that is a member, with a rule on the organization unless `level` is undefined. */
export async function insertUser(orgUuid: string, level: Level | undefined): Promise<TestUser> {
  const db = drizzle(env.DB);
  const uuid = crypto.randomUUID();
  const username = `user-${uuid.slice(0, 8)}@example.com`;
  const made = { createdAt: NOW, createdBy: 'test' };
  await db.insert(accounts).values({
    uuid,
    username,
    usernameKey: username,
    passwordChangedAt: NOW - 1000,
    createdByOrg: orgUuid,
    createdAt: NOW,
  });
  await db.insert(memberships).values({
    orgUuid,
    accountUuid: uuid,
    lastModifiedAt: NOW,
    lastModifiedBy: 'test',
    ...made,
  });
  if (level !== undefined) {
    await db.insert(rules).values({
      orgUuid,
      resourceKind: 'organization',
      resourceUuid: orgUuid,
      subject: uuid,
      level,
      ...made,
    });
  }
  return { uuid, username };
}

/** An endpoint straight in the database, sealed as the slice does it; answers its id. */
export async function insertEndpoint(
  gateway: TestGateway,
  id = `endpoint-${crypto.randomUUID()}`,
): Promise<string> {
  const uuid = crypto.randomUUID();
  const { organization, settings } = gateway;
  const context = {
    settings,
    orgUuid: organization.uuid,
    sealedDataKey: organization.sealedDataKey,
    purpose: `endpoint:${uuid}`,
  };
  await drizzle(env.DB)
    .insert(endpoints)
    .values({
      orgUuid: organization.uuid,
      uuid,
      id,
      kind: 'postgres',
      sealedConfig: await seal(context, '{"write_conn":{"url":"postgresql://u:p@db.test:5432/d"}}'),
      poolLimits: { total: 0, production: 0, development: 0 },
      createdAt: NOW,
      updatedAt: NOW,
    });
  return id;
}
