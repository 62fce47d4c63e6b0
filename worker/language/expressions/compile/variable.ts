/** Where the variables of a source live: in slots of its functions' frames. */
import type { Node } from 'acorn';

/** How a variable came to be. */
export type VariableKind = 'name' | 'param' | 'let' | 'const' | 'var' | 'function' | 'self';

/** A variable of a source. */
export class Variable {
  readonly name: string;
  readonly kind: VariableKind;
  readonly layout: Layout;
  readonly slot: number;
  /** From this offset on it holds its value whenever code of its own function runs. */
  readonly readyAt: number;
  /** Assigned after it was made. */
  isAssigned = false;
  /** Seen by a function within that may be made before it is ready. */
  isSeenEarly = false;
  isCaptured = false;
  /** May be read before it is ready, so that reads have to look. */
  isChecked = false;

  constructor(name: string, kind: VariableKind, layout: Layout, slot: number, readyAt: number) {
    this.name = name;
    this.kind = kind;
    this.layout = layout;
    this.slot = slot;
    this.readyAt = readyAt;
  }

  /** Whether functions within share it, so that its slot holds a box. */
  get isBoxed(): boolean {
    return this.isCaptured && (this.isAssigned || this.isSeenEarly);
  }
}

/** A variable that a function takes over from the one around it when it is made. */
interface Import {
  readonly variable: Variable;
  /** Its slot in the frame of the function around. */
  readonly from: number;
  readonly to: number;
}

/** The frame of one function: how many slots, and what comes from outside. */
export class Layout {
  readonly parent: Layout | undefined;
  readonly node: Node;
  readonly imports: Import[] = [];
  /** Slots that the arguments come in. */
  readonly params: number;
  size: number;

  /** @param params slots for the arguments as they come */
  constructor(parent: Layout | undefined, node: Node, params: number) {
    this.parent = parent;
    this.node = node;
    this.params = params;
    this.size = params;
  }

  slot(): number {
    this.size += 1;
    return this.size - 1;
  }

  /** The slot by which a variable is reached from here. */
  slotOf(variable: Variable): number {
    if (variable.layout === this) return variable.slot;
    const known = this.imports.find((each) => each.variable === variable);
    if (known !== undefined) return known.to;
    const { parent } = this;
    if (parent === undefined) throw new Error(`${variable.name} is of no function around`);
    if (parent === variable.layout) {
      variable.isCaptured = true;
      // A declared function is made where its block begins.
      const madeAt = this.node.type === 'FunctionDeclaration' ? 0 : this.node.start;
      variable.isSeenEarly ||= madeAt < variable.readyAt;
    }
    const from = parent.slotOf(variable);
    const to = this.slot();
    this.imports.push({ variable, from, to });
    return to;
  }
}

/** The variables that a block declares. */
export class Block {
  readonly parent: Block | undefined;
  readonly layout: Layout;
  readonly variables = new Map<string, Variable>();
  /** Of a `switch`: its declarations may be jumped over. */
  readonly isSwitch: boolean;

  constructor(parent: Block | undefined, layout: Layout, isSwitch = false) {
    this.parent = parent;
    this.layout = layout;
    this.isSwitch = isSwitch;
  }

  declare(name: string, kind: VariableKind, readyAt: number, slot = this.layout.slot()): Variable {
    const known = this.variables.get(name);
    if (known !== undefined && kind === 'var') return known;
    const ready = this.isSwitch ? Number.POSITIVE_INFINITY : readyAt;
    const variable = new Variable(name, kind, this.layout, slot, ready);
    this.variables.set(name, variable);
    return variable;
  }

  find(name: string): Variable | undefined {
    return this.variables.get(name) ?? this.parent?.find(name);
  }
}
