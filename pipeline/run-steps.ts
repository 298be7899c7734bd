/** Runs steps as a graph: each is a function from named inputs to named outputs, and begins as soon as its inputs are there. */

/** A step of a graph whose values are named and typed by `Values`; `Context` is what each step works with beside its inputs. */
export interface Step<Values, Context> {
  readonly name: string;
  readonly inputs: readonly (keyof Values)[];
  readonly outputs: readonly (keyof Values)[];
  /** @returns its outputs, each of them there or promised */
  run(inputs: Values, context: Context): Promise<object>;
}

/** Outputs that are there, or promised: a step that has made one may go on while others use it. */
type Eventual<Values> = { readonly [Name in keyof Values]: Values[Name] | Promise<Values[Name]> };

/** The host of a graph gives each step its context, and hears when it begins and when it is over. */
export interface Host<Context> {
  /** Called when a step's inputs are there. @param signal aborted when any step has failed */
  begin(step: string, signal: AbortSignal): Promise<Context>;
  /** Called when all outputs of a step that began are there, or one of them never will be. */
  end(step: string, context: Context, isDone: boolean): void;
}

/** Lets the compiler check that a step uses no value but its inputs, and makes all of its outputs. */
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
 * Runs every step once, those at the same time that do not need each other. After the first failure no other step begins, and
 * the signal of those under way is aborted.
 * @returns every value, when all steps are over
 * @throws the first failure, when no step is under way any more
 * @throws Error before any step begins when an input has no step before it that makes it, or an output has two
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
    for (const name of step.outputs) promises[name] = made.then((outputs) => (outputs as Values)[name]); // or waits for it
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

/** Refuses a list in which an input has no step before it that makes it: a step might wait for itself there, by way of others. */
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
