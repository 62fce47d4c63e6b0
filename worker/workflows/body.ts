/** Reads the bodies that carry a definition, in either shape. Spec: "Workflow"; workflows.md §1. */
import { GatewayError } from '../../proto/errors.ts';
import { isJsonObject, type JsonObject } from '../../proto/json.ts';
import type { Pieces } from '../../proto/work/pieces.ts';
import { parseDefinitionInPieces } from '../../proto/written-json.ts';
import type { WorkflowStatus } from '../db/workflows.ts';
import { demandSize, refusal } from '../shapes/definition.ts';
import { idFromName, isUuid } from '../shapes/ids.ts';
import { actionsOf, isDag } from './definition/dag.ts';
import type { Fault } from './definition/findings.ts';
import { WorkflowId } from './definition/read.ts';
import { definitionText, hasSealed, readGraph, SCHEMA } from './stored.ts';

const decoder = new TextDecoder();

/** A definition that is to be stored, and what goes with it. */
export interface NewDefinition {
  readonly id: string;
  readonly status: WorkflowStatus;
  readonly definition: JsonObject;
  /** Members of it that nobody sent. */
  readonly added: readonly string[];
  /** What is wrong before it is read. */
  readonly faults: readonly Fault[];
}

/** A body as it was written, in pieces: kinds of endpoints tell `1.0` from `1`. @throws GatewayError BAD_REQUEST for a member that is there twice */
export function* asWritten(body: JsonObject, bytes: Uint8Array | undefined): Pieces<JsonObject> {
  if (bytes === undefined) return body;
  const text = decoder.decode(bytes);
  yield;
  const read = (yield* parseDefinitionInPieces(text)) as JsonObject; // As the body is, an object.
  yield* readGraph(read);
  return read;
}

/**
 * The definition that a create body is.
 * @throws GatewayError BAD_REQUEST for a body of neither shape, NOT_FOUND for another organization's UUID
 */
export function definitionIn(body: JsonObject, orgUuid: string): NewDefinition {
  if (!Object.hasOwn(body, SCHEMA) && !Object.hasOwn(body, 'org_uuid')) return fromDefinition(body);
  const { [SCHEMA]: schema, org_uuid: org, ...others } = body;
  const faults = Object.keys(others).map((path) => ({
    path,
    message: `is no member of the insert shape: write it into ${SCHEMA}`,
  }));
  if (!isJsonObject(schema)) {
    const message = schema === undefined ? 'is required' : 'must be an object';
    throw refusal([...faults, { path: SCHEMA, message }]);
  }
  if (org !== undefined && (typeof org !== 'string' || !isUuid(org))) {
    throw refusal([
      ...faults,
      { path: 'org_uuid', message: 'must be the UUID of the organization' },
    ]);
  }
  if (org !== undefined && org.toLowerCase() !== orgUuid) {
    throw new GatewayError('NOT_FOUND', `Organization ${org} does not exist`);
  }
  const read = isDag(schema) ? fromDag(schema) : fromInner(schema);
  return { ...read, faults: [...faults, ...read.faults] };
}

/** A definition as the value of `workflow_schema`. */
function fromInner(schema: JsonObject): NewDefinition {
  const { definition, added, ...rest } = fromDefinition(schema);
  const whole = { ...definition, [SCHEMA]: Object.keys(schema) };
  return { ...rest, definition: whole, added: [...added, SCHEMA] };
}

function fromDag(schema: JsonObject): NewDefinition {
  const { id = `wf-${newWord()}` } = schema;
  const { faults } = actionsOf(schema);
  const isId = typeof id === 'string' && WorkflowId.safeParse(id).success;
  const wrong = { path: `${SCHEMA}.id`, message: 'must be an id: letters, digits and . _ -' };
  const name = isId ? id : 'workflow';
  const made = { name, ...DEFAULTS };
  return {
    ...{ id: name, status: 'active', definition: { ...made, [SCHEMA]: schema } },
    ...{ added: Object.keys(made), faults: isId ? faults : [wrong, ...faults] },
  };
}

/** Members that every definition has. */
const DEFAULTS = { description: '', version: '1.0.0' };

/** Characters of a random word. */
const WORD = 12;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

function newWord(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(WORD));
  return [...bytes].map((each) => LETTERS.charAt(each % LETTERS.length)).join('');
}

function fromDefinition(body: JsonObject): NewDefinition {
  const { id: chosen, status, ...rest } = body;
  const { name } = body;
  const id = chosen ?? (typeof name === 'string' ? idFromName(name) : 'workflow');
  const faults: Fault[] = chosen === undefined ? [...faultsOfMade(String(id))] : [];
  if (hasSealed(body)) faults.push({ path: 'trigger', message: 'has a secret that is no text' });
  // Those are checked with the rest of the definition, which they are no part of once it is stored.
  const checked = {
    ...(chosen === undefined ? {} : { id: chosen }),
    ...(status === undefined ? {} : { status }),
  };
  return {
    id: String(id),
    status: status === 'paused' ? 'paused' : 'active',
    definition: { ...checked, ...DEFAULTS, ...rest },
    added: Object.keys(DEFAULTS).filter((member) => !Object.hasOwn(rest, member)),
    faults,
  };
}

function faultsOfMade(id: string): readonly Fault[] {
  if (id === '' || id === 'subjects') {
    return [{ path: 'id', message: 'is required: the name makes none' }];
  }
  return isUuid(id)
    ? [{ path: 'id', message: 'is required: the name makes a UUID, which no id may be' }]
    : [];
}

/**
 * What is stored of a definition, in pieces: the row has the rest.
 * @param added members that do not count, as nobody sent them
 * @throws GatewayError PAYLOAD_TOO_LARGE
 */
export function* storedPart(
  { id: _id, status: _status, ...definition }: JsonObject,
  added: readonly string[],
): Pieces<JsonObject> {
  const sent = Object.entries(definition).filter(([name]) => !added.includes(name));
  demandSize(yield* definitionText(Object.fromEntries(sent)));
  return definition;
}
