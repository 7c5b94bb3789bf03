import type { z } from 'zod';
import { BUDGETS } from '../../platform/budget/budget-table.ts';
import type { Budget, BudgetName, BudgetSettingName, BudgetSizes } from '../../platform/budget/budget-table.ts';
import { wholeNumber } from './setting-values.ts';

interface BudgetSetting {
  schema: z.ZodType<number | undefined>;
  doc: string;
  example: string;
}

const ROWS = Object.entries(BUDGETS) as [BudgetName, Budget][];

/** The settings that change budgets, by name; made from the table. */
export const BUDGET_SETTINGS = Object.fromEntries(
  ROWS.flatMap(([, { setting, size, unit, scope }]): [string, BudgetSetting][] =>
    setting === undefined
      ? []
      : [
          [
            setting,
            {
              schema: wholeNumber(1, 999_999_999).optional(),
              doc: `how many ${unit}${scope === 'domain' ? '' : ` for each ${scope}`}, at most (docs/budgets.md)`,
              example: String(size),
            },
          ],
        ],
  ),
) as Record<BudgetSettingName, BudgetSetting>;

/** The sizes that differ from the table's. */
export function budgetSizes(settings: Readonly<Record<string, unknown>>): BudgetSizes {
  return Object.fromEntries(
    ROWS.flatMap(([name, { setting }]) => {
      const size = setting === undefined ? undefined : settings[setting];
      return typeof size === 'number' ? [[name, size]] : [];
    }),
  );
}
