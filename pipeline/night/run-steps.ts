/** Runs a graph of steps. Each step maps named inputs to named outputs and starts when its inputs exist. */

/** A step. `Values` types all inputs and outputs; `Context` is passed to each run. */
export interface Step<Values, Context> {
  readonly name: string;
  readonly inputs: readonly (keyof Values)[];
  readonly outputs: readonly (keyof Values)[];
  /** @returns outputs or promises of them */
  run(inputs: Values, context: Context): Promise<object>;
}

/** Outputs may be promises, so that a step continues while others use one. */
type Eventual<Values> = { readonly [Name in keyof Values]: Values[Name] | Promise<Values[Name]> };

/** Provides each step's context; is notified of start and end. */
export interface Host<Context> {
  /**
   * Called when a step's inputs exist.
   * @param signal aborted if any step fails
   */
  begin(step: string, signal: AbortSignal): Promise<Context>;
  /** Called when all outputs of a started step exist or one has failed. */
  end(step: string, context: Context, isDone: boolean): void;
}

/** Typed helper: a step may use only its inputs and must make all its outputs. */
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

/**
 * Runs every step once, independent steps in parallel. After a failure no step starts, and running steps are aborted.
 * @returns every value, after all steps have ended
 * @throws the first failure, after all running steps have ended
 * @throws Error before any step if an input has no earlier maker, or an output has two
 */
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
    for (const name of step.outputs) promises[name] = made.then((outputs) => (outputs as Values)[name]); // waits for it if it is a promise
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

/** Lets a step begin only when no other step runs. */
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

/** Rejects an input that no earlier step makes; this also excludes cycles. */
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
