import type { ComponentChildren } from 'preact';
import type { Row } from '../../state/rows.js';
import { explorerPage } from '../../values/explorer.js';
import { RowAmounts } from '../rows/row-line.js';

export function Happened({ row }: { readonly row: Row }) {
  const isOfBlock = row.txHash.startsWith('block:');
  return (
    <section class="panel-part">
      <h3>What happened</h3>
      <dl class="facts">
        <Fact name="When">{row.date} UTC</Fact>
        <Fact name="Amount">
          <RowAmounts row={row} />
        </Fact>
        <Fact name="Wallet">
          <code>{row.address}</code>
        </Fact>
        {row.counterparty && (
          <Fact name="From or to">
            <code>{row.counterparty}</code>
          </Fact>
        )}
        {row.validatorAddress && (
          <Fact name="Validator">{row.validatorMoniker || <code>{row.validatorAddress}</code>}</Fact>
        )}
        {row.rewardTrigger && <Fact name="Paid out by">{row.rewardTrigger.replaceAll('_', ' ')}</Fact>}
        {row.detail && <Fact name="Detail">{row.detail}</Fact>}
        <Fact name="Block">{row.height.toLocaleString('en-US')}</Fact>
        {!isOfBlock && (
          <Fact name="Transaction">
            <code>{row.txHash}</code>
          </Fact>
        )}
      </dl>
      <p>
        <a href={explorerPage(row)} rel="noopener noreferrer" target="_blank">
          Open in a block explorer
        </a>
      </p>
    </section>
  );
}

export const Fact = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
