// A page of an inventory as the platform writes it, of items that the catalogue knows.
import { readRows } from './installation.ts'

/** An inspect token as the game writes them: decoding one is part of reading an inventory. */
const TOKEN =
  '00180920B30528053004388DD4CAF403409807620A080110933D1D3EEE623F620A080210884F1D00000000' +
  '620A080410DB2B1D000000005F823F19'

interface Item {
  readonly marketHashName: string
  readonly type: string
  readonly rarity: string
  readonly rarityColor: string
  readonly exterior: string | null
}

export async function inventoryPage(url: string, count: number): Promise<string> {
  const items = await readRows<Item>(
    url,
    `select market_hash_name "marketHashName", type, rarity, rarity_color "rarityColor", exterior
     from catalog.item where exterior is not null and phase is null and reference_price_mills > 0
     order by volume desc, id limit $1`,
    [count],
  )
  if (items.length < count) throw new Error('the catalogue has too few items')
  return JSON.stringify({
    assets: items.map((_, i) => ({
      ...{ appid: 730, contextid: '2', assetid: String(41_000_000_000 + i), amount: '1' },
      ...{ classid: String(310_000_000 + i), instanceid: '480085569' },
    })),
    descriptions: items.map(descriptionOf),
    asset_properties: items.map((_, i) => ({
      assetid: String(41_000_000_000 + i),
      asset_properties: [
        { propertyid: 1, int_value: String((i * 37) % 1000), name: 'Pattern Template' },
        { propertyid: 2, float_value: '0.286453634500503540', name: 'Wear Rating' },
        { propertyid: 6, string_value: TOKEN, name: 'Item Certificate' },
      ],
    })),
    total_inventory_count: count,
    success: 1,
    rwgrsn: -2,
  })
}

const descriptionOf = (
  { marketHashName, type, rarity, rarityColor, exterior }: Item,
  i: number,
): object => ({
  ...{ appid: 730, classid: String(310_000_000 + i), instanceid: '480085569' },
  icon_url:
    'i0CoZ81Ui0m-9KwlBY1L_18myuGuq1wfhWSaZgMttyVfPaERSR0Wqmu7LAocGIGz3UqlXOLrxM-vMGmW8VNxu5Dx',
  ...{ tradable: 1, marketable: 1, commodity: 0, currency: 0 },
  name: marketHashName.replace(/ \([^)]*\)$/, ''),
  market_hash_name: marketHashName,
  market_name: marketHashName,
  type,
  actions: [
    { link: 'steam://rungame/730/0/+csgo_econ_action_preview%20%propid:6%', name: 'Inspect' },
  ],
  tags: [
    { category: 'Rarity', internal_name: 'Rarity', localized_tag_name: rarity, color: rarityColor },
    { category: 'Exterior', internal_name: 'WearCategory', localized_tag_name: exterior },
    { category: 'Type', internal_name: 'CSGO_Type', localized_tag_name: type },
  ],
})
