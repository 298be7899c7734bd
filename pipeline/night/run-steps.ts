/**
 * Runs steps that depend on each other. A step has named inputs and outputs. It starts as soon as all its inputs are
 * available.
 */

export interface Step<Values, Context> {
  readonly name: string;
  readonly inputs: readonly (keyof Values)[];
  readonly outputs: readonly (keyof Values)[];
  /** @returns the outputs by name; each may be a promise */
  run(inputs: Values, context: Context): Promise<object>;
}

/** An output may be a promise. Other steps can then use the remaining outputs earlier. */
export type Eventual<Values> = { readonly [Name in keyof Values]: Values[Name] | Promise<Values[Name]> };

export interface Host<Context> {
  /** @param signal aborted if any step fails */
  begin(step: string, signal: AbortSignal): Promise<Context>;
  /** Called when all outputs of the step are available, or when an output has failed. */
  end(step: string, context: Context, isDone: boolean): void;
}

export function stepsOf<Values, Context>() {
  return <const Input extends keyof Values = never, const Output extends keyof Values = never>(step: {
    readonly name: string;
    readonly inputs: readonly Input[];
    readonly outputs: readonly Output[];
    readonly run: (
      inputs: Pick<Values, NoInfer<Input>>,
      context: Context,
    ) => Promise<Eventual<Pick<Values, NoInfer<Output>>>>;
  }): Step<Values, Context> => step;
}

export async function runSteps<Values, Context>(
  steps: readonly Step<Values, Context>[],
  host: Host<Context>,
): Promise<Values> {
  checkOrder(steps);
  const controller = new AbortController();
  const { signal } = controller;
  let failure: { readonly error: unknown } | undefined;
  const fail = (error: unknown) => {
    failure ??= { error };
    controller.abort(error);
  };
  const promises: { [Name in keyof Values]?: Promise<Values[Name]> } = {};

  const start = async (step: Step<Values, Context>) => {
    let context: Context | undefined;
    const made = gather(promises, step.inputs).then(async (inputs) => {
      context = await host.begin(step.name, signal);
      signal.throwIfAborted();
      return step.run(inputs, context);
    });
    // An output may itself be a promise. `then` also waits for that promise.
    for (const name of step.outputs) promises[name] = made.then((outputs) => (outputs as Values)[name]);
    const awaited = [made, ...step.outputs.map((name) => promises[name])];
    for (const promise of awaited) promise?.catch(fail);
    const settled = await Promise.allSettled(awaited);
    const isDone = settled.every(({ status }) => status === 'fulfilled');
    if (context !== undefined) host.end(step.name, context, isDone);
  };

  await Promise.all(steps.map((step) => start(step).catch(fail)));
  if (failure) throw failure.error;
  return gather(promises, Object.keys(promises) as (keyof Values)[]);
}

export function oneAtATime<Context>(host: Host<Context>): Host<Context> {
  let last = Promise.resolve();
  const leave = new Map<string, () => void>();
  return {
    async begin(step, signal) {
      const before = last;
      last = new Promise((resolve) => leave.set(step, resolve));
      await before;
      try {
        return await host.begin(step, signal);
      } catch (error) {
        leave.get(step)!();
        throw error;
      }
    },
    end(step, context, isDone) {
      host.end(step, context, isDone);
      leave.get(step)!();
    },
  };
}

/**
 * Checks the order of the steps, because steps could otherwise wait for each other.
 * @throws Error if an input of a step is not an output of an earlier step
 */
function checkOrder<Values, Context>(steps: readonly Step<Values, Context>[]): void {
  const makers = new Map<keyof Values, string>();
  for (const { name, inputs, outputs } of steps) {
    for (const input of inputs) {
      if (!makers.has(input)) throw new Error(`${name} needs ${String(input)}, which no step before it makes`);
    }
    for (const output of outputs) {
      const other = makers.get(output);
      if (other !== undefined) throw new Error(`${other} and ${name} both make ${String(output)}`);
      makers.set(output, name);
    }
  }
}

async function gather<Values>(
  promises: { [Name in keyof Values]?: Promise<Values[Name]> },
  names: readonly (keyof Values)[],
): Promise<Values> {
  const values = await Promise.all(names.map(async (name) => [name, await promises[name]] as const));
  return Object.fromEntries(values) as Values;
}
