/** The API's description as tests read it: paths, references, and schemas compiled when they are first asked for. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** A node of the description that tests look into. */
export type Node = { readonly [member: string]: unknown };

/** One operation, and where it is. */
export interface Operation {
  /** JSON Pointer. */
  readonly at: string;
  readonly node: Node;
}

/** A path of the description with the methods it has. */
interface Item {
  readonly path: string;
  /** In upper case. */
  readonly operations: ReadonlyMap<string, Operation>;
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
/** The name under which the validator knows the document. */
const ROOT = 'openapi';

/** A description that can be asked. */
export class Description {
  readonly document: Node;
  readonly items: readonly Item[];
  readonly #ajv: Ajv2020;
  readonly #compiled = new Map<string, ValidateFunction>();
  readonly #patterns: readonly (readonly [RegExp, Item])[];

  constructor(document: Node) {
    this.document = document;
    this.items = Object.entries(nodeOf(document.paths)).map(([path, item]) => itemOf(path, item));
    this.#patterns = this.items
      .toSorted((one, other) => placeholders(one.path) - placeholders(other.path))
      .map((item) => [patternOf(item.path), item] as const);
    // Not strict: the document has keywords of its own.
    this.#ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
    formats.default(this.#ajv);
    this.#ajv.addSchema(document, ROOT);
  }

  /** The path that a request's path is met by; one without parameters goes first. */
  itemFor(path: string): Item | undefined {
    return this.#patterns.find(([pattern]) => pattern.test(path))?.[1];
  }

  /** What a node stands for, and where that is. */
  resolve(at: string): Operation {
    const node = at
      .split('/')
      .slice(1)
      .map((each) => each.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce((within: Node, member) => nodeOf(within[member]), this.document);
    const { $ref } = node;
    return typeof $ref === 'string' ? this.resolve($ref.slice(1)) : { at, node };
  }

  /** What is wrong with a value by the schema at a JSON Pointer; undefined when nothing is. */
  faultOf(at: string, value: unknown): string | undefined {
    const validate = this.#compiled.get(at) ?? this.#compile(at);
    if (validate(value)) return undefined;
    return this.#ajv.errorsText(told(validate.errors ?? []), { dataVar: 'body', separator: '; ' });
  }

  #compile(at: string): ValidateFunction {
    const fragment = at.split('/').map(encodeURIComponent).join('/');
    const validate = this.#ajv.compile({ $ref: `${ROOT}#${fragment}` });
    this.#compiled.set(at, validate);
    return validate;
  }
}

/** An object's members; none of anything else. */
export function nodeOf(value: unknown): Node {
  return typeof value === 'object' && value !== null ? (value as Node) : {}; // Members are unknown.
}

/** One step of a JSON Pointer. */
export function step(member: string): string {
  return `/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The deepest faults say most; what a union says about itself says least. */
function told(errors: NonNullable<ValidateFunction['errors']>) {
  const named = errors.map((error) =>
    error.keyword === 'additionalProperties'
      ? { ...error, message: `has ${error.params.additionalProperty}, which is not described` }
      : error,
  );
  return named.slice(0, 5);
}

function itemOf(path: string, item: unknown): Item {
  const at = `/paths${step(path)}`;
  const operations = METHODS.flatMap((method) => {
    const node = nodeOf(item)[method];
    return node === undefined
      ? []
      : [[method.toUpperCase(), { at: `${at}/${method}`, node: nodeOf(node) }] as const];
  });
  return { path, operations: new Map(operations) };
}

function placeholders(path: string): number {
  return path.split('{').length;
}

function patternOf(path: string): RegExp {
  const parts = path
    .split(/\{[^}]+\}/)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^/]+')}$`);
}
