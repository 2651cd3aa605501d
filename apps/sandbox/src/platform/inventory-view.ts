import type { Asset } from '../dataset/types.ts'
import { integer, one, type Query } from '../http/query.ts'
import type { InventoryItem } from './inventory-item.ts'

const MOST_PER_PAGE = 1_000
const DEFAULT_PER_PAGE = 75

/** What the platform's numbers for properties of an asset mean. */
const PROPERTY_PAINT_SEED = 1
const PROPERTY_WEAR = 2
const PROPERTY_INSPECT_CERTIFICATE = 6

type Json = Record<string, unknown>

/** One page of an inventory; null when the platform would refuse the query as malformed. */
export function viewInventory(
  items: readonly InventoryItem[],
  { context, query }: { readonly context: '2' | '16'; readonly query: Query },
): Json | null {
  const count = integer(query, 'count') ?? DEFAULT_PER_PAGE
  if (count < 1 || count > MOST_PER_PAGE) return null
  const all = items.filter((item) => item.context === (context === '16' ? 'protected' : 'normal'))
  const start = startOf(all, one(query, 'start_assetid'))
  const page = all.slice(start, start + count)
  const last = page.at(-1)
  const hasMore = start + page.length < all.length
  return {
    ...(page.length === 0 ? {} : describePage(page, context)),
    ...(hasMore && last !== undefined ? { more_items: 1, last_assetid: last.assetId } : {}),
    total_inventory_count: all.length,
    success: 1,
    rwgrsn: -2,
  }
}

function startOf(all: readonly InventoryItem[], afterAssetId: string | undefined): number {
  return afterAssetId === undefined ? 0 : all.findIndex((item) => item.assetId === afterAssetId) + 1
}

function describePage(page: readonly InventoryItem[], context: '2' | '16'): Json {
  const descriptions = new Map<string, Json>()
  for (const item of page) {
    descriptions.set(`${item.asset.classId}_${instanceIdOf(item)}`, viewDescription(item))
  }
  return {
    assets: page.map((item) => ({
      appid: 730,
      contextid: context,
      assetid: item.assetId,
      classid: item.asset.classId,
      instanceid: instanceIdOf(item),
      amount: '1',
    })),
    descriptions: [...descriptions.values()],
    asset_properties: page
      .filter(({ asset }) => asset.inspectToken !== null || asset.wear !== null)
      .map((item) => viewProperties(item, context)),
  }
}

/** Readers join descriptions on class and instance, so what may not be traded is another instance. */
function instanceIdOf({ asset, tradable }: InventoryItem): string {
  return tradable ? asset.instanceId : `${asset.instanceId}1`
}

function viewDescription(inventoryItem: InventoryItem): Json {
  const { asset, tradable, marketable, protectedUntilMs } = inventoryItem
  const { item } = asset
  return {
    appid: 730,
    classid: asset.classId,
    instanceid: instanceIdOf(inventoryItem),
    currency: 0,
    background_color: '',
    icon_url: item.iconUrl,
    descriptions:
      item.exterior === null ? [] : [{ type: 'html', value: `Exterior: ${item.exterior}` }],
    tradable: tradable ? 1 : 0,
    ...(asset.inspectToken === null ? {} : { actions: [INSPECT_ACTION] }),
    owner_descriptions:
      protectedUntilMs === null
        ? []
        : [{ type: 'html', value: protectionNotice(protectedUntilMs) }],
    name: item.name,
    name_color: item.category === 'StatTrak™' ? 'CF6A32' : 'D2D2D2',
    type: item.type,
    market_name: item.marketHashName,
    market_hash_name: item.marketHashName,
    commodity: asset.wear === null && asset.inspectToken === null ? 1 : 0,
    market_tradable_restriction: 7,
    market_marketable_restriction: 7,
    marketable: marketable ? 1 : 0,
    tags: tagsOf(asset),
  }
}

/** The certificate of property 6 goes where the placeholder stands. */
const INSPECT_ACTION = {
  link: 'steam://run/730//+csgo_econ_action_preview%20%propid:6%',
  name: 'Inspect in Game...',
}

function protectionNotice(untilMs: number): string {
  return `\u26A0 This item is trade-protected until ${new Date(untilMs).toUTCString()} and cannot be consumed, modified, or transferred.`
}

function tagsOf({ item }: Asset): Json[] {
  const tags: Json[] = [
    tag('Type', `CSGO_Type_${slug(item.itemType)}`, item.itemType),
    tag('Quality', slug(item.category).toLowerCase(), item.category),
    { ...tag('Rarity', `Rarity_${slug(item.rarity)}`, item.rarity), color: item.rarityColor },
  ]
  if (item.weapon !== null)
    tags.push(tag('Weapon', `weapon_${slug(item.weapon).toLowerCase()}`, item.weapon))
  if (item.collection !== null)
    tags.push(tag('ItemSet', `set_${slug(item.collection).toLowerCase()}`, item.collection))
  if (item.exterior !== null)
    tags.push(tag('Exterior', `WearCategory_${slug(item.exterior)}`, item.exterior))
  return tags
}

const CATEGORY_NAMES: Readonly<Record<string, string>> = {
  Quality: 'Category',
  Rarity: 'Quality',
  ItemSet: 'Collection',
}

function tag(category: string, internalName: string, name: string): Json {
  return {
    category,
    internal_name: internalName,
    localized_category_name: CATEGORY_NAMES[category] ?? category,
    localized_tag_name: name,
  }
}

function slug(text: string): string {
  return text.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_|_$/g, '')
}

function viewProperties({ assetId, asset }: InventoryItem, context: '2' | '16'): Json {
  const properties: Json[] = []
  if (asset.paintSeed !== null) {
    properties.push({
      propertyid: PROPERTY_PAINT_SEED,
      int_value: String(asset.paintSeed),
      name: 'Pattern Template',
    })
  }
  if (asset.wear !== null) {
    properties.push({
      propertyid: PROPERTY_WEAR,
      float_value: String(asset.wear),
      name: 'Wear Rating',
    })
  }
  if (asset.inspectToken !== null) {
    properties.push({
      propertyid: PROPERTY_INSPECT_CERTIFICATE,
      string_value: asset.inspectToken,
      name: 'Item Certificate',
    })
  }
  return { appid: 730, contextid: context, assetid: assetId, asset_properties: properties }
}
