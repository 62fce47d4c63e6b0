/** Data-access templates: requests to endpoints with placeholders. Spec: "Constructor shape"; contract §8. */

import { kindSpec, parseRequest } from '../../../kinds/index.ts';
import { GatewayError } from '../../../proto/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../proto/json.ts';
import { unordered } from '../../../proto/ordered-json.ts';
import { comparedName } from '../../shapes/ids.ts';
import type { Compiled, CompileResult, EndpointCall, Fault, Rendered, Run } from '../compiled.ts';
import type { DataAccessDefinition, RequestSort } from '../definition.ts';
import { type KindOf, type Operation, readOperations, requestFaults } from './operations.ts';
import type { Placeholder } from './placeholder.ts';
import { scopeOf } from './values.ts';

/** Ids or UUIDs of the endpoints that a definition names, known before it can be read. */
export function endpointsIn({ template }: DataAccessDefinition): readonly string[] {
  const { endpoint, operations } = template;
  const each = Array.isArray(operations) ? operations : [];
  const named = [endpoint, ...each.map((one) => (isJsonObject(one) ? one.endpoint : undefined))];
  return [...new Set(named.filter((one) => typeof one === 'string'))];
}

/** Reads a definition; which kind each endpoint is of decides how. */
export function readDataAccess(definition: DataAccessDefinition, kindOf: KindOf): CompileResult {
  const { operations, faults } = readOperations(definition, kindOf);
  if (faults.length > 0) return { compiled: undefined, faults };
  return { compiled: new DataAccess(definition, operations), faults: [] };
}

class DataAccess implements Compiled {
  readonly usesNow = false;
  readonly cacheTtlS = undefined;
  readonly references: Compiled['references'];
  readonly weight: number;
  readonly keepsText: boolean;
  readonly #sort: RequestSort;
  readonly #operations: readonly Operation[];
  readonly #placeholders: readonly Placeholder[];
  readonly #rest: JsonObject;

  constructor({ request, template }: DataAccessDefinition, operations: readonly Operation[]) {
    this.#sort = request;
    this.#operations = operations;
    this.#placeholders = operations.flatMap((each) => each.placeholders);
    const timeout = unordered(template.timeout_ms ?? null);
    this.#rest = 'timeout_ms' in template ? { timeout_ms: timeout } : {};
    this.weight = JSON.stringify(template).length * 4 + 512;
    this.keepsText = operations.some(({ kind }) => kindSpec(kind).keepsText);
    this.references = operations.map(({ endpoint, path, level }) => ({
      kind: 'endpoint',
      id: comparedName(endpoint),
      path,
      level,
    }));
  }

  /** @throws GatewayError BAD_REQUEST naming all that is missing or of another type */
  async run(input: Json, run: Run): Promise<Json> {
    const { calls, faults } = this.#calls(input, run);
    const [first] = faults;
    if (first) {
      const message = `${first.path}: ${first.message}`;
      throw new GatewayError('BAD_REQUEST', message, { details: faults });
    }
    if (this.#sort === 'TwoPhaseTransaction') {
      const operations = calls.map(({ endpoint, request }) => ({ ...request, endpoint }));
      return run.transact({ operations, ...this.#rest });
    }
    const [call] = calls;
    return call ? run.send(call) : null;
  }

  render(input: Json, run: Run): Rendered {
    const { calls, requests, faults: ofInput } = this.#calls(input, run);
    const faults = [...ofInput, ...(ofInput.length > 0 ? [] : this.#refusals(requests))];
    const valid = faults.length === 0;
    return {
      success: valid,
      inputValidation: valid ? { valid } : { valid, errors: faults },
      output: null,
      transformationSteps: calls.map((request) => ({
        rule: request.endpoint,
        transformations: [],
        note: 'shown, not sent: its result is not known',
        request,
      })),
      outputValidation: { valid: true },
      ...(valid ? {} : { errors: faults }),
    };
  }

  /** What is to be sent: nothing while something is wrong with the input. */
  #calls(input: Json, run: Run) {
    run.budget.spend(1 + this.#placeholders.length + this.weight / 64);
    const faults: Fault[] = Object.keys(run.parameters).map((name) => ({
      path: `parameters.${name}`,
      message: 'is no parameter of the template: what it takes stands in the input',
    }));
    const scope = scopeOf(input, this.#placeholders, faults);
    if (!scope) return { calls: [], requests: [], faults };
    const requests = this.#operations.map(({ endpoint, fill }) => ({
      endpoint,
      // A request is an object, and filled it is one as well.
      request: fill(scope) as JsonObject,
    }));
    return faults.length > 0
      ? { calls: [], requests: [], faults }
      : { calls: this.#asCalls(requests), requests, faults };
  }

  /** What the kinds' own readers would refuse in the requests. */
  #refusals(requests: readonly { readonly request: JsonObject }[]): Fault[] {
    return requests.flatMap(({ request }, index) => {
      const operation = this.#operations[index];
      if (!operation) return [];
      try {
        parseRequest(operation.kind, unordered(request));
        return [];
      } catch (thrown) {
        return requestFaults(thrown).map((each) => ({
          ...each,
          path: `${operation.at}.${each.path}`,
        }));
      }
    });
  }

  #asCalls(requests: readonly { endpoint: string; request: JsonObject }[]): EndpointCall[] {
    const [first] = requests;
    switch (this.#sort) {
      case 'Read':
      case 'Write': {
        const operation = this.#sort === 'Read' ? 'read' : 'write';
        return requests.map((each) => ({ ...each, operation }));
      }
      case 'Transaction': {
        const operations = requests.map(({ request }) => request);
        const request = { operations, ...this.#rest };
        return first ? [{ endpoint: first.endpoint, operation: 'transaction', request }] : [];
      }
      case 'TwoPhaseTransaction':
        return requests.map((each) => ({ ...each, operation: 'transaction' }));
    }
  }
}
