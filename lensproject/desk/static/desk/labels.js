// Names for the boxes that look rows up: select2 draws them anew and leaves the label of the field behind.
"use strict";

function nameLookups() {
    for (const select of document.querySelectorAll("select.admin-autocomplete")) {
        const drawn = select.parentElement.querySelector(".select2-selection");
        const label = select.labels[0];
        if (!drawn || !label) {
            continue;
        }
        const name = label.textContent.replace(/:\s*$/, "").trim();
        const chosen = select.value ? `: ${select.selectedOptions[0].textContent}` : "";
        drawn.removeAttribute("aria-labelledby");
        for (const part of [drawn, drawn.querySelector(".select2-selection__rendered")]) {
            part.setAttribute("aria-label", name + chosen);
        }
    }
}

// After the boxes are drawn, which the admin does in an earlier callback of the same kind.
if (window.django && window.django.jQuery) {
    window.django.jQuery(nameLookups);
}
document.addEventListener("change", nameLookups);
document.addEventListener("formset:added", () => setTimeout(nameLookups));
