/** Data-access templates of tests: read, filled and shown without a backend. */
import { expect } from 'vitest';
import { type Kind, parseRequest } from '../../../../kinds/index.ts';
import type { Json, JsonObject } from '../../../../proto/json.ts';
import { Budget } from '../../../language/expressions/index.ts';
import type { Compiled, EndpointCall, Run } from '../../compiled.ts';
import type { RequestSort } from '../../definition.ts';
import { readDataAccess } from '../index.ts';

/** A template of one request, or of what is in `template`. */
export function reading(kind: Kind, request: JsonObject, sort: RequestSort = 'Write') {
  const definition = { name: 't', description: '', version: '1.0.0', request: sort };
  const template = { endpoint: 'e', ...request };
  return readDataAccess({ ...definition, template }, (id) => (id === 'none' ? undefined : kind));
}

/** A template that has no faults. */
export function compiled(kind: Kind, request: JsonObject, sort?: RequestSort): Compiled {
  const read = reading(kind, request, sort);
  expect(read.faults).toEqual([]);
  if (!read.compiled) throw new Error('It has faults');
  return read.compiled;
}

/** The messages of what an author has to mend. */
export function faultsOf(kind: Kind, request: JsonObject, sort?: RequestSort): string[] {
  return reading(kind, request, sort).faults.map(({ path, message }) => `${path} ${message}`);
}

/** A run that keeps what it is told to send. */
export function runOf(sent: EndpointCall[] = []): Run {
  const limits = { fuel: 1e9, depth: 100, outputBytes: 1e8 };
  return {
    budget: new Budget(limits, 0),
    parameters: {},
    parametersAreTexts: false,
    signal: new AbortController().signal,
    nested: () => {
      throw new Error('It nests nothing');
    },
    transact: (body) => Promise.resolve(body),
    send: async (call) => {
      sent.push(call);
      return null;
    },
  };
}

/** The request that is sent for an input. */
export async function sentBy(template: Compiled, input: Json): Promise<JsonObject> {
  const sent: EndpointCall[] = [];
  await template.run(input, runOf(sent));
  expect(sent).toHaveLength(1);
  return sent[0]?.request ?? {};
}

/** The same of a template of one request, which its kind takes. */
export async function filled(
  kind: Kind,
  request: JsonObject,
  input: JsonObject,
): Promise<JsonObject> {
  const sent = await sentBy(compiled(kind, request), input);
  parseRequest(kind, sent);
  return sent;
}
