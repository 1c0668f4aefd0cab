// SPDX-License-Identifier: MIT
import{NextPixelError,copyOf,dropCopy}from"./shared.js";async function isStale(url,error){return!(error instanceof NextPixelError)||!["format","unsupported","limit","numeric","integrity"].includes(error.code)?!1:await copyOf(url)?(await dropCopy(url),!0):error.code==="integrity"&&/expected was/.test(error.message)&&typeof document=="object"}export{isStale};
