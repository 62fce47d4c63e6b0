/** One mapping of orders three times: as a template, in jsonata, and in JavaScript as one writes it by hand. */

/** The template. */
export const DEFINITION = {
  name: 'Orders',
  description: '',
  version: '1.0.0',
  transformationRules: [
    {
      forEach: { array: 'orders', as: 'order' },
      target: 'orders',
      rules: [
        { target: 'id', source: 'order.id' },
        { target: 'customer.name', expression: 'order.first + " " + order.last' },
        {
          target: 'customer.email',
          source: 'order.email',
          transformers: ['trim', 'lowercase'],
        },
        { target: 'customer.city', source: 'order.address.city' },
        {
          target: 'status',
          source: 'order.status',
          mapping: { N: 'new', P: 'paid', S: 'sent' },
        },
        { target: 'vip', value: true, condition: 'order.points > 500' },
        {
          forEach: { array: 'order.items', as: 'item' },
          target: 'lines',
          rules: [
            { target: 'sku', source: 'item.sku' },
            { target: 'amount', expression: 'item.price * item.quantity' },
          ],
        },
        {
          target: 'total',
          expression: 'order.items.reduce((sum, item) => sum + item.price * item.quantity, 0)',
        },
      ],
    },
    { target: 'count', source: 'orders', transformers: ['length'] },
  ],
};

/** The same in jsonata. */
export const JSONATA = `{
  "orders": orders.{
    "id": id,
    "customer": {
      "name": first & " " & last,
      "email": $lowercase($trim(email)),
      "city": address.city
    },
    "status": $lookup({"N": "new", "P": "paid", "S": "sent"}, status),
    "vip": points > 500 ? true : undefined,
    "lines": items.{"sku": sku, "amount": price * quantity},
    "total": $sum(items.(price * quantity))
  },
  "count": $count(orders)
}`;

/** What all three are given. */
export interface Input {
  readonly orders: readonly Order[];
}

interface Order {
  readonly id: number;
  readonly first: string;
  readonly last: string;
  readonly email: string;
  readonly address: { readonly city: string; readonly zip: string };
  readonly status: string;
  readonly points: number;
  readonly items: readonly {
    readonly sku: string;
    readonly price: number;
    readonly quantity: number;
  }[];
}

const STATUS: Readonly<Record<string, string>> = { N: 'new', P: 'paid', S: 'sent' };

/** The same by hand. */
export function byHand({ orders }: Input): unknown {
  return {
    orders: orders.map((order) => ({
      id: order.id,
      customer: {
        name: `${order.first} ${order.last}`,
        email: order.email.trim().toLowerCase(),
        city: order.address.city,
      },
      status: STATUS[order.status],
      ...(order.points > 500 ? { vip: true } : {}),
      lines: order.items.map((item) => ({ sku: item.sku, amount: item.price * item.quantity })),
      total: order.items.reduce((sum, item) => sum + item.price * item.quantity, 0),
    })),
    count: orders.length,
  };
}

/** So many orders, of two or three lines each. */
export function inputOf(records: number): Input {
  return { orders: Array.from({ length: records }, (_, at) => orderAt(at)) };
}

function orderAt(at: number): Order {
  return {
    id: at,
    first: `Ann${at}`,
    last: 'Lee',
    email: ` A${at}@X.org `,
    address: { city: 'Ulm', zip: '89073' },
    status: 'NPS'.charAt(at % 3),
    points: (at * 37) % 1000,
    items: Array.from({ length: 2 + (at % 2) }, (_, line) => ({
      sku: `S-${at}-${line}`,
      price: line * 2.5 + 1,
      quantity: 1 + (at % 4),
    })),
  };
}
