/** The description of the API: what follows from the declarations of its operations and kinds. */

import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type Kind, kindSpec, kinds } from '../../kinds/index.ts';
import { anyMember, anyone, onAnything, onOrganization } from '../access/access.ts';
import { facades, routes } from '../app.ts';
import { operationsOf } from '../http/operations.ts';
import { publicRoute, route } from '../route.ts';
import { describe as described } from './document.ts';

type Node = { readonly [member: string]: unknown };

let document: Node;
beforeAll(() => {
  document = { ...described([...routes, ...facades], undefined) };
});

/** What is at a JSON Pointer. */
function at(...path: readonly string[]): Node {
  const found = path.reduce((within, name) => within[name] as Node, document);
  return found ?? {};
}

/** All nodes below one, also those that references lead to, each once. */
function nodesFrom(node: unknown, seen = new Set<unknown>()): Set<unknown> {
  if (typeof node !== 'object' || node === null || seen.has(node)) return seen;
  seen.add(node);
  const { $ref } = node as Node;
  if (typeof $ref === 'string') nodesFrom(at(...$ref.split('/').slice(1)), seen);
  for (const each of Object.values(node)) nodesFrom(each, seen);
  return seen;
}

/** Every value that a member `type` of a request may have there. */
function typesIn(node: unknown): Set<unknown> {
  const types = [...nodesFrom(node)].flatMap((each) => {
    const { type } = ((each as Node).properties ?? {}) as { type?: Node };
    return type?.const === undefined ? ((type?.enum ?? []) as unknown[]) : [type.const];
  });
  return new Set(types);
}

const bodyOf = (operation: string) =>
  at('paths', `/api/v1/endpoints/{endpoint}/${operation}`, 'post', 'requestBody');

test('has each method of each path as an operation of its own, with an id of its own', () => {
  const operations = operationsOf([...routes, ...facades]);
  for (const { path, method, id } of operations) {
    expect(at('paths', path, method.toLowerCase()).operationId).toBe(id);
  }
  expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
});

test.each(Object.keys(kinds) as Kind[])('takes every type of request to %s', (kind) => {
  const spec = kindSpec(kind);
  for (const operation of ['read', 'write']) {
    expect([...typesIn(bodyOf(operation))]).toEqual(
      expect.arrayContaining(Object.keys(spec.types)),
    );
  }
});

/** Of one type there is nothing to tell apart. */
const ofTypes = (Object.keys(kinds) as Kind[]).filter(
  (kind) => Object.keys(kindSpec(kind).types).length > 1,
);
test.each(ofTypes)('tells requests to %s apart by their type', (kind) => {
  const discriminated = [...nodesFrom(bodyOf('write'))].flatMap((each) => {
    const { propertyName, mapping } = ((each as Node).discriminator ?? {}) as Node;
    return propertyName === 'type' ? [Object.keys(mapping as Node)] : [];
  });
  const types = Object.keys(kindSpec(kind).types);
  expect(discriminated.some((mapped) => types.every((type) => mapped.includes(type)))).toBe(true);
});

test('tells forms of results apart by members that each has always', () => {
  const schemas = at('components', 'schemas');
  const { oneOf } = schemas.Result as { oneOf: readonly { $ref: string }[] };
  const forms = oneOf.map(({ $ref }) => $ref.split('/').at(-1) ?? '');
  const required = forms.map((name) => (schemas[name] as Node).required);
  expect(forms).toEqual(expect.arrayContaining(['SqlResult', 'RedisResult', 'HttpResult']));
  // What answers no member of its own is the only one.
  expect(required.filter((each) => each === undefined)).toHaveLength(1);
  expect(new Set(required.map((each) => String(each))).size).toBe(forms.length);
  // An open one could have any member, and no client would narrow by it.
  for (const name of forms) expect(schemas[name]).toMatchObject({ additionalProperties: false });
  for (const operation of ['read', 'write']) {
    const path = `/api/v1/endpoints/{endpoint}/${operation}`;
    const content = at('paths', path, 'post', 'responses', '200', 'content', 'application/json');
    const { properties } = content.schema as { properties: Node };
    expect(properties.data).toMatchObject({ $ref: '#/components/schemas/Result' });
  }
});

test('marks the second of two spellings as deprecated, but none of a facade', () => {
  const operations = operationsOf([...routes, ...facades]);
  const deprecated = operations.flatMap(({ path, method, id }) =>
    at('paths', path, method.toLowerCase()).deprecated === true ? [id] : [],
  );
  expect(deprecated).toEqual([
    'authLoginByGet',
    'authRefreshByGet',
    'organizationGetAtOrg',
    'organizationUpdateAtOrg',
    'organizationDeleteAtOrg',
    'rbacWorkflowsSubjectsGetByPost',
  ]);
});

test('has ids that are names in any language', () => {
  const operations = operationsOf([...routes, ...facades]);
  expect(operations.map(({ id }) => id).filter((id) => !/^[a-z]+[A-Z][a-zA-Z]*$/.test(id))).toEqual(
    [],
  );
});

describe('an operation', () => {
  const common = {
    summary: 'Do something',
    description: 'For a test.',
    tag: 'Help',
    errors: [],
    changes: 'nothing',
    reply: 'bare',
    result: z.object({ done: z.boolean() }),
    handle: async () => ({ done: true }),
  } as const;
  const Body = z.strictObject({ size: z.int() });

  const statuses = (declared: Parameters<typeof described>[0][number]) => {
    const item = described([declared], undefined).paths?.['/api/v1/thing'] ?? {};
    const [operation] = Object.values(item) as { responses: object }[];
    return Object.keys(operation?.responses ?? {}).map(Number);
  };

  test('without a token, level or body has few errors', () => {
    const declared = publicRoute({ ...common, method: 'GET', path: '/thing', access: anyone });
    expect(statuses(declared)).toEqual([200, 400, 406, 429, 500]);
  });

  test('with a token can be 401, and 503 while keys of an identity provider cannot be had', () => {
    const declared = route({ ...common, method: 'GET', path: '/thing', access: anyMember });
    expect(statuses(declared)).toEqual([200, 400, 401, 406, 429, 500, 503]);
  });

  test('with a level can be 403', () => {
    const access = onOrganization('Read');
    expect(statuses(route({ ...common, method: 'GET', path: '/thing', access }))).toContain(403);
  });

  test('tells a level, and where a rule on anything gives it', () => {
    const told = (access: Parameters<typeof route>[0]['access']) => {
      const declared = route({ ...common, method: 'GET', path: '/thing', access });
      return described([declared], undefined).paths?.['/api/v1/thing']?.get?.description;
    };
    expect([told(onOrganization('Read')), told(onAnything('Read'))]).toEqual([
      expect.stringMatching(/\n\nNeeds the level `Read`\.$/),
      expect.stringMatching(
        /\n\nNeeds the level `Read`\. It may be held on anything in the organization\.$/,
      ),
    ]);
  });

  test('with a body can be 408, 413, 415 and 501', () => {
    const access = anyMember;
    const declared = route({ ...common, method: 'PUT', path: '/thing', access, body: Body });
    expect(statuses(declared)).toEqual([200, 400, 401, 406, 408, 413, 415, 429, 500, 501, 503]);
  });

  test('that honours Idempotency-Key can be 409, 422 and 502, unless it only reads', () => {
    const declared = { ...common, method: 'POST', path: '/thing', access: anyMember } as const;
    expect(statuses(route(declared))).toEqual(expect.arrayContaining([409, 422, 502]));
    expect(statuses(route({ ...declared, idempotency: { reads: true } }))).not.toContain(502);
    expect(statuses(route({ ...declared, idempotency: 'ignored' }))).not.toContain(409);
  });

  test('on what has an ETag can be 304 and 412', () => {
    const declared = { ...common, path: '/thing', access: anyMember, conditional: true } as const;
    expect(statuses(route({ ...declared, method: 'GET' }))).toEqual(
      expect.arrayContaining([304, 412]),
    );
    expect(statuses(route({ ...declared, method: 'DELETE' }))).not.toContain(304);
  });

  test('has the errors that it names, and those of what it acts on', () => {
    const access = { ...anyMember, errors: ['NODE_NOT_FOUND'] as const };
    const declared = { ...common, method: 'GET', path: '/thing', access } as const;
    expect(statuses(route({ ...declared, errors: ['NOT_SUPPORTED'] }))).toEqual(
      expect.arrayContaining([404, 501]),
    );
  });
});
